#include "pairing.h"

static void enter(struct pairing *cpu, const struct event *event)
{
	cpu->state = event->what;
	cpu->since_ns = cpu->last_ns = event->ns;
	cpu->lost = 0;
}

static void leave(struct pairing *cpu, const struct event *event)
{
	cpu->done = (struct period){
		.start_ns = cpu->since_ns,
		.end_ns = event->ns,
		.state = (u32)cpu->state,
		.cpu = event->cpu,
	};
	cpu->has_done = true;
	cpu->state = AWAKE;
	cpu->last_ns = event->ns;
}

size_t pair(struct pairing *cpus, size_t cpu_count, const struct event *events, size_t count,
	    struct period *periods, size_t *period_count, u64 *misses)
{
	size_t found = 0, i = 0;

	for (; i < count; i++) {
		const struct event *event = &events[i];
		s64 what = event->what;
		struct pairing *cpu;

		if (event->cpu >= cpu_count || !cpus[event->cpu].known)
			break;
		cpu = &cpus[event->cpu];
		if (what == EXIT) {
			if (cpu->state < 0 || event->ns < cpu->since_ns)
				break;
			leave(cpu, event);
		} else if (what >= 0) {
			if (cpu->state >= 0 || event->ns < cpu->last_ns || (u64)what >= cpu->limit ||
			    what > U32_MAX)
				break;
			if (cpu->has_done)
				periods[found++] = cpu->done;
			cpu->has_done = false;
			enter(cpu, event);
		} else if (what <= MISS) {
			u64 code = (u64)MISS - (u64)what;

			if (!cpu->has_done || cpu->done.miss != FITS ||
			    code / 2 != cpu->done.state)
				break;
			cpu->done.miss = code % 2 ? TOO_SHALLOW : TOO_DEEP;
			++*misses;
		} else {
			break;
		}
	}
	*period_count = found;
	return i;
}

static u32 bucket_of(u64 gap)
{
	u32 shift = gap < 2048 ? 0 : 53 - (u32)__builtin_clzll(gap);

	return shift * 1024 + (u32)(gap >> shift);
}

void gather(const struct period *periods, size_t count, const u64 *splits, size_t split_count,
	    const u32 *first, struct bucket *buckets)
{
	for (size_t i = 0; i < count; i++) {
		u64 gap = periods[i].end_ns - periods[i].start_ns;
		u32 place = bucket_of(gap), of = place;
		struct bucket *bucket;

		for (size_t split = first[of] - 1; first[of] && split < split_count; split++) {
			if (gap < splits[split] || bucket_of(splits[split]) != of)
				break;
			place = BUCKETS + (u32)split;
		}
		bucket = &buckets[place];
		bucket->count++;
		bucket->sum_low += gap;
		bucket->sum_high += bucket->sum_low < gap;
		bucket->greatest = greatest(bucket->greatest, gap);
	}
}

void observe(const struct threshold *thresholds, const u64 *exits, u32 states, bool nanoseconds,
	     const struct period *periods, size_t count, struct counter *counters,
	     struct counter *suspects, u8 *refused, struct observed *observed)
{
	for (size_t i = 0; i < count; i++) {
		const struct period *period = &periods[i];
		u64 length = period->end_ns - period->start_ns;
		u32 state = period->state, verdict;
		bool suspect;

		if (state >= states) {
			observed->beyond++;
			continue;
		}
		verdict = verdict_on(&thresholds[state], counted_time(nanoseconds, length));
		suspect = period->miss == FITS && verdict == TOO_DEEP && length < exits[state];
		observed->refused += suspect;
		if (suspect && refused) {
			refused[i] = 1;
			counters[state].rejected++;
			continue;
		}
		count_idle(&thresholds[state], nanoseconds, &counters[state], length);
		observed->above += period->miss == TOO_DEEP;
		observed->below += period->miss == TOO_SHALLOW;
		if (suspect)
			count_idle(&thresholds[state], nanoseconds, &suspects[state], length);
		else if (verdict != period->miss && period->miss != UNSAID)
			observed->disagreements++;
	}
}
