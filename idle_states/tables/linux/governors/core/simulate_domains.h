/* Power domains of CPUs: when each is off, in which state; linux/genpd/running.py, gates.py and
 * governor.py, but for the constraints of devices, of which a simulation has none. */
#ifndef IDLE_STATES_SIMULATE_DOMAINS_H
#define IDLE_STATES_SIMULATE_DOMAINS_H

#include "simulate.h"

/* since: NEVER: on, or its time is counted. */
struct domain_now {
	u64 since, ready;
	u32 state, cached, active, child, sibling;
	bool on, changed;
};

struct domains {
	const struct sim_setting *set;
	const struct sim_domain *domain;
	const struct sim_domain_state *states;
	const u32 *cpus, *own;
	struct domain_now *now;
	u64 *timers; /* of each CPU */
	struct sim_domain_counter *counters;
	u64 *stayed_on;
	struct sim_totals *totals;
};

static bool domain_fits(const struct domains *d, u32 number, u64 now)
{
	const struct sim_domain *of = &d->domain[number];
	struct domain_now *domain = &d->now[number];
	u64 wakeup = KTIME_MAX;

	if (domain->changed) {
		if (of->parent != NOWHERE && d->domain[of->parent].governed)
			d->now[of->parent].changed = true;
		domain->changed = false;
		domain->state = of->states - 1;
		domain->cached = domain->state ? 1 : 0;
	} else {
		domain->state = domain->cached;
	}
	for (u32 i = 0; i < of->cpus; i++)
		wakeup = least(wakeup, d->timers[d->cpus[of->first_cpu + i]]);
	if (wakeup <= now)
		return false;
	for (u32 state = domain->state + 1; state-- > 0;) {
		const struct sim_domain_state *times = &d->states[of->first_state + state];

		if (wakeup - now >= times->residency_ns + times->off_ns &&
		    d->set->domain_limit_ns >= times->on_ns + times->off_ns) {
			domain->state = state;
			return true;
		}
	}
	return false;
}

static void domain_off(const struct domains *d, u32 number, u64 now)
{
	const struct sim_domain *of = &d->domain[number];
	struct domain_now *domain = &d->now[number];
	bool shallow = false;

	if (!domain->on)
		return;
	for (u32 child = domain->child; child != NOWHERE; child = d->now[child].sibling) {
		if (d->now[child].on)
			return;
		shallow = shallow || d->now[child].state < d->domain[child].states - 1;
	}
	if (shallow && d->set->deepest_children) {
		d->stayed_on[number]++;
		return;
	}
	if (domain->active)
		return;
	if (of->governed && !domain_fits(d, number, now)) {
		d->stayed_on[number]++;
		return;
	}
	if (!of->governed)
		domain->state = 0;
	domain->on = false;
	domain->since = now;
	if (of->parent != NOWHERE)
		domain_off(d, of->parent, now);
}

INLINE void domains_idle(const struct domains *d, u32 cpu, u64 now, u64 timer)
{
	u32 number = d->set->domains ? d->own[cpu] : NOWHERE;

	if (number == NOWHERE)
		return;
	d->timers[cpu] = timer;
	d->now[number].active--;
	domain_off(d, number, now);
}

/* When the domain is on. */
static u64 domain_on(const struct domains *d, u32 number, u64 now)
{
	const struct sim_domain *of = &d->domain[number];
	struct domain_now *domain = &d->now[number];
	u64 ready = of->parent == NOWHERE ? now : domain_on(d, of->parent, now);

	if (!domain->on) {
		const struct sim_domain_state *times = &d->states[of->first_state + domain->state];

		ready = greatest(ready, domain->since + times->off_ns) + times->on_ns;
		domain->ready = ready;
		domain->on = true;
	}
	return greatest(ready, domain->ready);
}

INLINE u64 domains_wake(const struct domains *d, u32 cpu, u64 now)
{
	u32 number = d->set->domains ? d->own[cpu] : NOWHERE;
	u64 waits;

	if (number == NOWHERE)
		return 0;
	waits = domain_on(d, number, now) - now;
	d->now[number].active++;
	if (waits) {
		d->totals->waited++;
		d->totals->waited_ns += waits;
	}
	return waits;
}

INLINE void domains_awake(const struct domains *d, u32 cpu, u64 now)
{
	u32 number = d->set->domains ? d->own[cpu] : NOWHERE;

	for (; number != NOWHERE; number = d->domain[number].parent) {
		const struct sim_domain *of = &d->domain[number];
		struct domain_now *domain = &d->now[number];
		const struct sim_domain_state *times = &d->states[of->first_state + domain->state];
		struct sim_domain_counter *counter = &d->counters[of->first_state + domain->state];
		u64 off;

		if (domain->since == NEVER)
			continue;
		off = now - domain->since;
		domain->since = NEVER;
		counter->usage++;
		counter->time_ns += off;
		if (off < times->residency_ns)
			counter->above++;
		else if (domain->state + 1 < of->states && off >= times->on_ns &&
			 off - times->on_ns >= times[1].residency_ns)
			counter->below++;
	}
}

#endif
