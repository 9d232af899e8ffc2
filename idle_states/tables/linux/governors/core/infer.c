#include <stdlib.h>

#include "infer_run.h"

#define FORGOTTEN 8
#define KINDS_ALONE 2 /* without other tables */

static bool ends_at_tick(const struct inference *in, const struct traced_period *period)
{
	const struct infer_setting *set = in->setting;
	u64 after = (period->end_ns + set->tick_ns - set->phase_ns) % set->tick_ns;

	return set->has_phase && after < set->slack_ns + in->tables->states[period->state].exit_ns;
}

static u64 less(u64 a, u64 b)
{
	return a > b ? a - b : 0;
}

/* Places a period on the clock. later: the end of the first from it on that no tick ended. */
static struct placed place(struct run *run, size_t index, u64 later)
{
	const struct inference *in = run->in;
	const struct infer_setting *set = in->setting;
	const struct traced_period *period = &in->periods[index];
	const u64 start = period->start_ns, length = period->end_ns - start;
	const u64 exit = in->tables->states[period->state].exit_ns;
	const u64 nearest = less(length, set->slack_ns + exit);
	struct placed p = {
		.index = index,
		.start_ns = start,
		.length_ns = length,
		.to_tick_ns = set->tick_ns - (start + set->tick_ns - set->phase_ns) % set->tick_ns,
		.state = (u32)period->state,
		.possible = OWN_TIMERS,
		.at_tick = ends_at_tick(in, period),
		.is_short = index && (s64)(start - period[-1].end_ns) < (s64)set->awake_ns,
		.polled_out = !period->state && length >= set->poll_ns,
	};

	p.crosses = set->has_phase && nearest > p.to_tick_ns;
	run->timers[0] = p.at_tick ? later - start : less(length, exit);
	run->timers[1] = KTIME_MAX;
	run->timers[AT_END] = length;
	run->timers[3] = nearest;
	while (p.possible < run->timer_count && run->timers[p.possible] < nearest)
		p.possible++;
	return p;
}

/* The states that another table's governor may select, as a mask. */
static u32 open_states(const struct run *run, u32 number, const struct placed *p)
{
	const struct asked_table *table = &run->in->tables[number];
	u32 found = 0;

	for (u32 n = 0; n < run->history_count; n++) {
		const struct history *h = &run->histories[n];
		const char *memory = memory_of(h, number);
		bool is_another = true;

		for (u32 i = 0; i < n; i++)
			is_another &= run->histories[i].offered != h->offered ||
				      memcmp(memory_of(&run->histories[i], number), memory, MEMORY_SIZE);
		for (u32 i = 0; is_another && h->offered && i < h->offered->offer_count; i++) {
			const struct offer *offer = &h->offered->offers[i];
			struct row row = row_of(run, p, table, offer->stopped, offer->loaded, false);

			for (u32 j = 0; j < offer->count; j++) {
				u8 state;

				set_timer(&row, p, run->timers[offer->places[j]]);
				state = tried(table, memory, &row).state;
				found |= state < 16 ? 1u << state : 0;
			}
		}
	}
	return found;
}

/* Continues a history by the real period, with what was chosen. */
static void go_on(struct run *run, u32 number, const struct placed *p)
{
	struct inference *in = run->in;
	const struct infer_setting *set = in->setting;
	struct history *h = &run->histories[number];
	struct choice choice = choose(run, number, p);
	bool ends = p->at_tick && !(choice.stopped || p->crosses || p->polled_out);
	const u64 timer = run->timers[choice.at];
	struct row row = row_of(run, p, in->tables, choice.stopped, choice.loaded, ends);
	struct decision decision;

	set_timer(&row, p, timer);
	if (ends)
		row.got_tick = ends = !tick_stops(set, tried(in->tables, h->memories, &row).stop_tick,
						  choice.stopped);
	if (!number) {
		in->rows[p->index] = row;
		in->tick_ended += ends;
		in->stopped += choice.stopped;
	}
	row.entered = (u8)p->state;
	decision = kept(in->tables, h->memories, &row);
	h->loaded = choice.loaded;
	h->stopped = p->crosses || tick_stops(set, decision.stop_tick, choice.stopped);
	if (!number)
		in->decisions[p->index] = decision;
	for (u32 i = 1; i < in->count; i++) {
		const struct asked_table *table = &in->tables[i];

		row = row_of(run, p, table, choice.stopped, choice.loaded, ends);
		set_timer(&row, p, timer);
		decision = kept(table, memory_of(h, i), &row);
		if (decision.state < 16)
			in->masks[(i - 1) * in->period_count + p->index] |= (u16)(1u << decision.state);
		if (!number)
			in->decisions[i * in->period_count + p->index] = decision;
	}
}

static void follow(struct run *run, const struct placed *p, size_t *opens)
{
	struct inference *in = run->in;
	u32 explaining;

	for (u32 i = 0; i < run->history_count; i++)
		find_offers(run, &run->histories[i], p);
	explaining = resample(run);
	if (!explaining) {
		in->unexplained[p->index] = 1;
		*opens = p->index + FORGOTTEN + 1;
	}
	for (u32 i = 1; i < in->count; i++) {
		const struct asked_table *table = &in->tables[i];
		u32 all = ((1u << table->table->count) - 1) & ~table->disabled;
		bool doubtful = explaining < run->history_count || p->index < *opens;

		in->masks[(i - 1) * in->period_count + p->index] =
			(u16)(doubtful ? all : open_states(run, i, p));
	}
	for (u32 i = 0; i < run->history_count; i++)
		go_on(run, i, p);
}

static bool begin(struct run *run)
{
	const struct inference *in = run->in;
	const size_t timers = run->timer_count;

	run->timers = malloc(timers * sizeof(u64));
	if (!run->timers)
		return false;
	memcpy(run->timers + OWN_TIMERS, in->timers, in->timer_count * sizeof(u64));
	for (u32 i = 0; i < run->history_count; i++) {
		struct history *h = &run->histories[i];

		h->memories = malloc(in->count * (size_t)MEMORY_SIZE);
		h->places = malloc(OFFERS_MAX * timers * sizeof(u16));
		if (!h->memories || !h->places)
			return false;
		for (u32 j = 0; j < in->count; j++)
			memcpy(memory_of(h, j), in->tables[j].boot, MEMORY_SIZE);
	}
	return true;
}

bool infer(struct inference *in)
{
	struct run run = {
		.in = in,
		.timer_count = OWN_TIMERS + in->timer_count,
		.history_count = in->count > 1 ? KINDS : KINDS_ALONE,
	};
	u64 *later = malloc((in->period_count + 1) * sizeof(*later));
	bool good = later && begin(&run);
	size_t opens = 0;

	for (size_t i = in->period_count; good && i--;) {
		later[i] = in->periods[i].end_ns;
		if (i + 1 < in->period_count && ends_at_tick(in, &in->periods[i]))
			later[i] = greatest(later[i + 1], later[i]);
	}
	for (size_t i = 0; good && i < in->period_count; i++) {
		struct placed p = place(&run, i, later[i]);

		follow(&run, &p, &opens);
	}
	for (u32 i = 0; i < KINDS; i++) {
		free(run.histories[i].memories);
		free(run.histories[i].places);
	}
	free(run.timers);
	free(later);
	return good;
}
