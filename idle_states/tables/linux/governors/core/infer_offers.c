#include "infer_run.h"

void set_timer(struct row *row, const struct placed *p, u64 timer)
{
	row->sleep_length_ns = (s64)timer;
	row->delta_next_ns = (s64)(row->tick_stopped ? timer : least(timer, p->to_tick_ns));
}

struct row row_of(const struct run *run, const struct placed *p, const struct asked_table *table,
		  bool stopped, bool loaded, bool got_tick)
{
	const struct infer_setting *set = run->in->setting;

	return (struct row){
		.clock_ns = p->start_ns,
		.reflect_clock_ns = p->start_ns + p->length_ns + set->wake_ns,
		.residency_ns = p->length_ns,
		.latency_req_us = table->limit_us,
		.nr_iowaiters = loaded && !set->utilises,
		.disabled = (u16)table->disabled,
		.tick_stopped = stopped,
		.got_tick = got_tick,
		.poll_time_limit = p->polled_out,
		.entered = AS_SELECTED,
		.recorded = (u8)p->state,
		.cpu_util = loaded && set->utilises ? CPU_CAPACITY : 0,
		.cpu_capacity = CPU_CAPACITY,
	};
}

struct decision kept(const struct asked_table *table, void *memory, const struct row *row)
{
	struct decision decision;

	table->run(table->features, table->table, memory, row, 1, &decision, NULL);
	return decision;
}

struct decision tried(const struct asked_table *table, const void *memory, const struct row *row)
{
	u64 copy[MEMORY_SIZE / sizeof(u64)];

	memcpy(copy, memory, MEMORY_SIZE);
	return kept(table, copy, row);
}

/* The inputs among the first timers that lead to the state entered. */
static void find_fitting(const struct run *run, struct history *h, const struct placed *p,
			 u32 timer_count)
{
	const struct infer_setting *set = run->in->setting;
	const struct asked_table *traced = run->in->tables;
	u16 *places = h->places;

	h->offer_count = 0;
	for (int loaded = 0; loaded <= (set->utilises || set->waits); loaded++) {
		if (loaded && h->offer_count && !(set->utilises && run->in->count > 1))
			break;
		for (int stopped = 0; stopped <= h->stopped; stopped++) {
			struct row row = row_of(run, p, traced, stopped, loaded, false);
			bool has_to_stop = p->crosses && !tick_stops(set, false, stopped);
			struct offer offer = {stopped, loaded, 0, places};

			for (u32 i = 0; i < timer_count; i++) {
				struct decision decision;

				set_timer(&row, p, run->timers[i]);
				decision = tried(traced, h->memories, &row);
				if (decision.state == p->state &&
				    (decision.stop_tick || !has_to_stop))
					places[offer.count++] = (u16)i;
			}
			places += offer.count;
			if (offer.count)
				h->offers[h->offer_count++] = offer;
		}
	}
}

static bool is_possible(const struct placed *p, u16 at)
{
	return at < OWN_TIMERS || at >= p->possible;
}

/* Leaves out timers that are too near, unless only these explain the period. */
static void leave_possible(struct history *h, const struct placed *p)
{
	bool any = false;
	u32 left = 0;

	for (u32 i = 0; i < h->offer_count; i++)
		for (u32 j = 0; j < h->offers[i].count; j++)
			any |= is_possible(p, h->offers[i].places[j]);
	if (!any)
		return;
	for (u32 i = 0; i < h->offer_count; i++) {
		struct offer offer = h->offers[i];
		u32 count = 0;

		for (u32 j = 0; j < offer.count; j++)
			if (is_possible(p, offer.places[j]))
				offer.places[count++] = offer.places[j];
		offer.count = count;
		if (count)
			h->offers[left++] = offer;
	}
	h->offer_count = left;
}

void find_offers(const struct run *run, struct history *h, const struct placed *p)
{
	/* Histories that know the same are offered the same. */
	for (const struct history *other = run->histories; other < h; other++)
		if (other->stopped == h->stopped && !memcmp(other->memories, h->memories, MEMORY_SIZE)) {
			h->offered = other->offered;
			return;
		}
	if (run->in->count == 1)
		find_fitting(run, h, p, OWN_TIMERS);
	if (run->in->count > 1 || !h->offer_count) {
		find_fitting(run, h, p, run->timer_count);
		leave_possible(h, p);
	}
	h->offered = h->offer_count ? h : NULL;
}

u32 resample(struct run *run)
{
	const size_t size = run->in->count * (size_t)MEMORY_SIZE;
	struct history *living[KINDS];
	u32 count = 0;

	for (u32 i = 0; i < run->history_count; i++)
		if (run->histories[i].offered)
			living[count++] = &run->histories[i];
	for (u32 i = 0; count && i < run->history_count; i++) {
		struct history *h = &run->histories[i], *from = living[i % count];

		if (h->offered)
			continue;
		memcpy(h->memories, from->memories, size);
		h->loaded = from->loaded;
		h->stopped = from->stopped;
		h->offered = from->offered;
	}
	return count;
}
