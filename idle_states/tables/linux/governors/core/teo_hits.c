/*
 * teo's first generation, 5.1 to 5.13: hits, misses and early hits.
 *
 * Times are 128 bits wide: whether one is signed, unsigned or 32 bits differs between releases.
 */
#include "teo_hits.h"

typedef __int128 wide;

struct hits {
	u32 hits[STATES_MAX], misses[STATES_MAX], early_hits[STATES_MAX];
	wide intervals[RING_MAX];
	u32 next;
};

struct teo_hits {
	u32 booted;
	struct pending pending;
	struct hits hits;
};
_Static_assert(sizeof(struct teo_hits) <= MEMORY_SIZE, "fits");

static wide time_of(const struct teo_features *f, s64 ns)
{
	if (!f->nanoseconds)
		return (u32)(ns / NS_PER_US);
	return f->signed_ ? (wide)ns : (wide)(u64)ns;
}

static wide ktime_of(const struct teo_features *f, s64 ns)
{
	return f->signed_ ? (wide)ns : (wide)(u64)ns;
}

static bool long_enough(const struct table *t, const struct row *row, wide time)
{
	return !row->tick_stopped || time >= t->tick;
}

static int shallower(const struct table *t, int state, wide duration, u32 enabled)
{
	for (int i = state - 1; i >= 0; i--) {
		if (!(enabled >> i & 1))
			continue;
		state = i;
		if (t->residency[i] <= duration)
			break;
	}
	return state;
}

static wide measured_in(const struct teo_features *f, const struct table *t, u32 state, u64 residency,
			s64 time_span)
{
	wide measured = f->excludes_overhead ? (wide)residency : time_of(f, time_span);
	wide latency = t->exit[state];

	return measured >= latency ? measured - latency / 2 : measured / 2;
}

static void learn(const struct teo_features *f, const struct table *t, struct hits *h,
		  const struct wakeup *w)
{
	wide endless = f->nanoseconds ? U64_MAX : U32_MAX;
	wide sleep = time_of(f, w->sleep_length);
	bool by_timer = ktime_of(f, w->time_span) >= ktime_of(f, w->sleep_length);
	wide measured = measured_in(f, t, w->state, w->residency, w->time_span);
	int timer = f->short_counts ? 0 : -1, idle = timer;

	if (by_timer)
		measured = f->excludes_overhead ? endless : sleep;
	for (u32 i = 0; i < t->count; i++) {
		h->early_hits[i] -= h->early_hits[i] >> DECAY_SHIFT;
		if (t->residency[i] <= sleep) {
			timer = (int)i;
			if (t->residency[i] <= measured)
				idle = (int)i;
		}
	}
	if (timer >= 0) {
		h->hits[timer] -= h->hits[timer] >> DECAY_SHIFT;
		h->misses[timer] -= h->misses[timer] >> DECAY_SHIFT;
		if (timer == idle) {
			h->hits[timer] += PULSE;
		} else {
			h->misses[timer] += PULSE;
			if (idle >= 0)
				h->early_hits[idle] += PULSE;
		}
	}
	h->intervals[h->next] = by_timer ? endless : measured;
	h->next = (h->next + 1) % f->ring_slots;
}

static struct decision choose(const struct teo_features *f, const struct table *t,
			      const struct hits *h, const struct row *row)
{
	u32 enabled = ~(u32)row->disabled & ((1u << t->count) - 1);
	u64 per_us = f->nanoseconds || f->mixed_units ? NS_PER_US : 1;
	u64 latency = (f->mixed_units ? U32_MAX : U64_MAX) & row->latency_req_us * per_us;
	wide duration = time_of(f, row->sleep_length_ns), delta;
	int state = -1, first = 0, constraint = (int)t->count, early = -1, previous = -1, from;
	u32 hits = 0, misses = 0, early_hits = 0;
	bool limited = false;

	for (int i = 0; i < (int)t->count; i++) {
		u64 residency = t->residency[i];

		if (!(enabled >> i & 1)) {
			if (!f->disabled_metrics) {
				if (early >= 0 && h->early_hits[i] > early_hits)
					early_hits = h->early_hits[i];
				continue;
			}
			if (residency > duration)
				continue;
			hits = h->hits[i];
			misses = h->misses[i];
			if (early_hits >= h->early_hits[i] || state < 0)
				continue;
			if (early != state) {
				if (!long_enough(t, row, t->residency[state]))
					continue;
				previous = early;
				early = state;
			}
			early_hits = h->early_hits[i];
			continue;
		}
		if (state < 0) {
			state = first = i;
			hits = h->hits[i];
			misses = h->misses[i];
		}
		if (residency > duration)
			break;
		if (t->exit[i] > latency) {
			if (!f->late_constraint) {
				duration = t->residency[state];
				limited = true;
				break;
			}
			if (i < constraint)
				constraint = i;
		}
		state = i;
		hits = h->hits[i];
		misses = h->misses[i];
		if (early_hits < h->early_hits[i] && long_enough(t, row, residency)) {
			previous = early;
			early = i;
			early_hits = h->early_hits[i];
		}
	}
	if (hits <= misses && !limited) {
		if (f->early_hits_below && early == state)
			early = previous;
		if (early >= 0) {
			state = early;
			duration = f->mixed_units ? (u32)t->residency_ns[early] : t->residency[early];
		}
	}
	if (state > constraint)
		state = constraint;
	if (state < 0)
		state = 0;
	from = f->recent_from_first ? first : 0;
	if (state > from) {
		wide limit = f->recent_duration ? duration : (wide)t->residency[state];
		u64 sum = 0;
		u32 count = 0;

		for (int i = 0; i < INTERVALS; i++) {
			if (h->intervals[i] < limit) {
				sum += (u64)h->intervals[i];
				count++;
			}
		}
		if (count > INTERVALS / 2 && long_enough(t, row, sum / count)) {
			duration = sum / count;
			if (t->residency[state] > duration)
				state = shallower(t, state, duration, enabled);
		}
	}
	if (row->tick_stopped || (duration >= t->tick && !(t->polling >> state & 1)))
		return (struct decision){(u8)state, 1};
	delta = time_of(f, row->delta_next_ns);
	if (t->residency[state] > delta)
		state = shallower(t, state, delta, enabled);
	return (struct decision){(u8)state, 0};
}

static void boot(const struct teo_features *f, struct teo_hits *teo)
{
	memset(teo, 0, sizeof(*teo));
	teo->booted = teo->pending.unlearnt = true;
	for (u32 i = 0; i < RING_MAX; i++)
		teo->hits.intervals[i] = f->nanoseconds ? U64_MAX : U32_MAX;
}

void teo_hits(const struct teo_features *f, const struct table *t, void *memory,
	      const struct row *rows, size_t row_count, struct decision *decisions,
	      struct estimate *made)
{
	struct teo_hits teo;
	struct pending *pending = &teo.pending;

	memcpy(&teo, memory, sizeof(teo));
	if (!teo.booted)
		boot(f, &teo);
	for (size_t i = 0; has_row(made, i, row_count); i += !made) {
		if (pending->unlearnt)
			learn(f, t, &teo.hits, &pending->wakeup);
		pending->unlearnt = false;
		decisions[i] = choose(f, t, &teo.hits, &rows[i]);
		pending->selected_ns = rows[i].clock_ns;
		pending->sleep_length = rows[i].sleep_length_ns;
		if (made)
			estimate_end(made, decisions[i]);
		finish(pending, &rows[i], t, f->signed_, decisions[i].state);
	}
	memcpy(memory, &teo, sizeof(teo));
}

/* All comparisons of learn() and choose(). What the timer ends teaches nothing that is averaged. */
u64 teo_hits_look(const struct teo_features *f, const struct table *t, const struct row *row,
		  u32 selected)
{
	s64 sleep_ns = row->sleep_length_ns;
	wide sleep = time_of(f, sleep_ns);
	wide measured = measured_in(f, t, selected, row->residency_ns, (s64)row->residency_ns);
	u32 timer = 0, idle = 0;

	for (u32 i = 0; i < t->count; i++) {
		timer |= (u32)(t->residency[i] <= sleep) << i;
		idle |= (u32)(t->residency[i] <= measured) << i;
	}
	return looked(timer, idle, measured >= t->tick,
		      (u32)((sleep_ns >= (s64)t->tick_ns) + (sleep_ns > (s64)t->tick_ns)) |
			      (u32)(sleep >= t->tick) << 2 | (u32)(measured < sleep) << 3 |
			      (u32)((s64)row->residency_ns >= sleep_ns) << 4 |
			      (u32)row->got_tick << 5 | 1u << 7) |
	       AVERAGED;
}

void teo_hits_switched_on(const struct teo_features *f, void *memory, int state, u64 residency_ns)
{
	struct teo_hits teo;

	boot(f, &teo);
	learn_from(&teo.pending, state, residency_ns);
	memcpy(memory, &teo, sizeof(teo));
}

void teo_hits_finish(const struct teo_features *f, const struct table *t, void *memory,
		     const struct row *row, u32 selected)
{
	struct teo_hits teo;

	memcpy(&teo, memory, sizeof(teo));
	finish(&teo.pending, row, t, f->signed_, selected);
	memcpy(memory, &teo, sizeof(teo));
}
