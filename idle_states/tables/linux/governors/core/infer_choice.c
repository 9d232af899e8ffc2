#include "infer_run.h"

#define NOT_AGAIN (-100)
#define MIX 0x9E3779B97F4A7C15ull

enum { LIKELIEST, EARLIEST, LATEST, ANY };
enum { NO, YES, AS_LIKELY };

static const struct kind {
	u8 timer, stopped, loaded;
} kinds[KINDS] = {
	{LIKELIEST, AS_LIKELY, AS_LIKELY}, {LATEST, NO, NO},  {EARLIEST, NO, YES},
	{LATEST, YES, YES},                {LATEST, NO, YES}, {ANY, AS_LIKELY, AS_LIKELY},
};

static bool has_place(const struct offer *offer, u32 at)
{
	for (u32 i = 0; i < offer->count; i++)
		if (offer->places[i] == at)
			return true;
	return false;
}

static struct choice likeliest(struct history *h, const struct placed *p, bool stays)
{
	const struct history *from = h->offered;
	const struct offer *best = NULL;
	s32 most = 2 * NOT_AGAIN;
	struct choice found = {0};

	for (int stopped = 0; stopped <= h->stopped; stopped++)
		for (u32 at = 0; at < LIKELY_TIMERS; at++) {
			s32 *wins = &h->wins[p->state][p->at_tick][stays][stopped][at], sum;
			const struct offer *fits = NULL;

			for (u32 i = 0; i < from->offer_count; i++) {
				const struct offer *offer = &from->offers[i];

				if (offer->stopped == stopped && has_place(offer, at) &&
				    (!fits || (fits->loaded != h->loaded && offer->loaded == h->loaded)))
					fits = offer;
			}
			if (!fits) {
				*wins -= *wins > NOT_AGAIN;
				continue;
			}
			sum = *wins + 4 * (stopped == stays) - (s32)at;
			if (sum > most) {
				most = sum;
				best = fits;
				found = (struct choice){stopped, fits->loaded, at};
			}
		}
	if (best)
		return found;
	best = from->offers;
	for (u32 i = 1; i < from->offer_count; i++) {
		const struct offer *offer = &from->offers[i];

		if (2 * (offer->stopped != stays) + offer->loaded <
		    2 * (best->stopped != stays) + best->loaded)
			best = offer;
	}
	found = (struct choice){best->stopped, best->loaded, best->places[0]};
	for (u32 i = best->count; i--;)
		if (best->places[i] >= OWN_TIMERS)
			found.at = best->places[i];
	return found;
}

/* The place whose timer is the one of this rank; of equal ones, they are in order. */
static u32 ranked(const struct run *run, const struct offer *offer, u32 rank)
{
	for (u32 i = 0; i < offer->count; i++) {
		u64 timer = run->timers[offer->places[i]];
		u32 before = 0;

		for (u32 j = 0; j < offer->count; j++) {
			u64 other = run->timers[offer->places[j]];

			before += other < timer || (other == timer && j < i);
		}
		if (before == rank)
			return offer->places[i];
	}
	return offer->places[0];
}

struct choice choose(struct run *run, u32 number, const struct placed *p)
{
	struct history *h = &run->histories[number];
	const struct kind *kind = &kinds[number];
	bool stays = h->stopped && p->is_short;
	bool stopped = kind->stopped == AS_LIKELY ? stays : kind->stopped;
	bool loaded = kind->loaded == AS_LIKELY ? h->loaded : kind->loaded;
	const struct offer *best;
	u32 rank = 0;

	if (!h->offered)
		return (struct choice){stays, false, AT_END};
	if (kind->timer == LIKELIEST)
		return likeliest(h, p, stays);
	best = h->offered->offers;
	for (u32 i = 1; i < h->offered->offer_count; i++) {
		const struct offer *offer = &h->offered->offers[i];

		if (2 * (offer->loaded != loaded) + (offer->stopped != stopped) <
		    2 * (best->loaded != loaded) + (best->stopped != stopped))
			best = offer;
	}
	if (kind->timer == LATEST)
		rank = best->count - 1;
	else if (kind->timer == ANY)
		rank = (u32)((((u64)p->index + 1) * MIX >> 32) % best->count);
	return (struct choice){best->stopped, best->loaded, ranked(run, best, rank)};
}
