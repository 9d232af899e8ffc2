/* Beginning and end of a simulation: what it keeps, from its topology. */
#include <stdlib.h>

#include "simulate_state.h"

/* All 0; freed with the simulation. NULL: no memory, now or before. */
static void *block(struct simulation *s, size_t count, size_t size)
{
	enum { ALIGNMENT = 128, MOST = 64 };
	size_t bytes = (count * size + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
	void *found = aligned_alloc(ALIGNMENT, bytes);

	if (!s->blocks)
		s->blocks = calloc(MOST, sizeof(*s->blocks));
	if (!found || !s->blocks || s->block_count == MOST) {
		free(found);
		s->failed = true;
		return NULL;
	}
	memset(found, 0, bytes);
	s->blocks[s->block_count++] = found;
	return found;
}

static u32 groups_in(const u32 *of, u32 items)
{
	u32 most = 0;

	for (u32 i = 0; i < items; i++)
		most = of[i] > most ? of[i] : most;
	return most + 1;
}

/* Items by group, ascending. */
static struct split split_of(struct simulation *s, const u32 *of, u32 items)
{
	struct split split = {.wholes = groups_in(of, items)};

	split.first = block(s, split.wholes + 2, sizeof(u32));
	split.parts = block(s, items, sizeof(u32));
	if (!split.first || !split.parts)
		return split;
	for (u32 i = 0; i < items; i++)
		split.first[of[i] + 2]++;
	for (u32 i = 2; i < split.wholes + 2; i++)
		split.first[i] += split.first[i - 1];
	for (u32 i = 0; i < items; i++)
		split.parts[split.first[of[i] + 1]++] = i;
	return split;
}

static bool make_scopes(struct simulation *s)
{
	const struct groupings *of = &s->in.of;
	const u32 *by_cpu[SCOPES] = {NULL, of->small_core, of->pair, of->quad};
	u32 cpus = (u32)s->set.cpus, below = cpus;

	s->scopes.effects = s->in.effects;
	s->scopes.scope_ns = s->in.scope_ns;
	s->scopes.states = (u32)s->set.states;
	for (u32 i = 0; i < SCOPES; i++) {
		struct scope *scope = &s->scopes.scope[i];

		scope->count = i ? groups_in(by_cpu[i], cpus) : cpus;
		scope->whole = block(s, below, sizeof(u32));
		scope->levels = block(s, scope->count, sizeof(s32));
		scope->ready = block(s, scope->count, sizeof(u64));
		scope->since = block(s, scope->count, sizeof(u64));
		if (!scope->whole || !scope->levels || !scope->ready || !scope->since)
			return false;
		for (u32 cpu = 0; cpu < cpus; cpu++)
			scope->whole[i > 1 ? by_cpu[i - 1][cpu] : cpu] = i ? by_cpu[i][cpu] : cpu;
		for (u32 j = 0; j < scope->count; j++)
			scope->levels[j] = AWAKE;
		if (i)
			scope->split = split_of(s, scope->whole, below);
		below = scope->count;
	}
	return !s->failed;
}

static bool make_domains(struct simulation *s)
{
	u32 domains = (u32)s->set.domains, cpus = (u32)s->set.cpus;

	s->domains = (struct domains){
		.set = &s->set,
		.domain = s->in.domains,
		.states = s->in.domain_states,
		.cpus = s->in.domain_cpus,
		.own = s->in.own_domain,
		.now = block(s, domains, sizeof(struct domain_now)),
		.timers = block(s, cpus, sizeof(u64)),
		.counters = s->in.domain_counters,
		.stayed_on = s->in.stayed_on,
		.totals = s->in.totals,
	};
	if (s->failed)
		return false;
	for (u32 i = 0; i < cpus; i++)
		s->domains.timers[i] = KTIME_MAX;
	for (u32 i = domains; i-- > 0;) {
		u32 parent = s->in.domains[i].parent;

		s->domains.now[i].since = NEVER;
		s->domains.now[i].active = s->in.domains[i].own;
		s->domains.now[i].child = s->domains.now[i].sibling = NOWHERE;
		s->domains.now[i].on = s->domains.now[i].changed = true;
		if (parent != NOWHERE) {
			/* those within others come first, so that the parent is made */
			s->domains.now[i].sibling = s->domains.now[parent].child;
			s->domains.now[parent].child = i;
		}
	}
	return true;
}

static bool make_placement(struct simulation *s)
{
	struct placement *p = &s->placement;
	u32 cpus = (u32)s->set.cpus, words = 0;

	p->of = &s->in.of;
	p->recent = s->set.recent;
	p->cluster = (u32)s->set.cluster;
	p->tasks = block(s, cpus, sizeof(u32));
	p->cluster_busy = block(s, cpus, sizeof(u32));
	p->smt_busy = block(s, cpus, sizeof(u32));
	p->position = block(s, cpus, sizeof(u32));
	p->smt = split_of(s, p->of->smt, cpus);
	p->llc = split_of(s, p->of->llc, cpus);
	p->word = block(s, p->llc.wholes + 1, sizeof(u32));
	p->llc_tasks = block(s, p->llc.wholes, sizeof(u32));
	if (s->failed)
		return false;
	for (u32 llc = 0; llc < p->llc.wholes; llc++) {
		u32 size = p->llc.first[llc + 1] - p->llc.first[llc];

		p->word[llc] = words;
		words += (size + WORD_BITS - 1) / WORD_BITS;
		for (u32 i = 0; i < size; i++)
			p->position[p->llc.parts[p->llc.first[llc] + i]] = i;
	}
	p->word[p->llc.wholes] = words;
	p->idle = block(s, words, sizeof(u64));
	p->idle_core = block(s, words, sizeof(u64));
	if (s->failed)
		return false;
	for (u32 cpu = 0; cpu < cpus; cpu++) {
		set_bit(p->idle, p->word[p->of->llc[cpu]], p->position[cpu], true);
		set_bit(p->idle_core, p->word[p->of->llc[cpu]], p->position[cpu], true);
	}
	return true;
}

struct simulation *simulation_new(const struct sim_input *input)
{
	struct simulation *s = calloc(1, sizeof(*s));
	u32 cpus = (u32)input->setting->cpus, tasks = (u32)input->setting->tasks;

	if (!s)
		return NULL;
	s->in = *input;
	s->set = *input->setting;
	s->plan.leaves = leaves_for((u64)cpus + tasks);
	s->plan.next = block(s, 2 * s->plan.leaves, sizeof(struct entry));
	s->cpus = block(s, cpus, sizeof(struct cpu_now));
	s->tasks = block(s, tasks, sizeof(struct task));
	s->memories = block(s, cpus, MEMORY_STRIDE);
	s->siblings = split_of(s, input->of.small_core, cpus);
	s->takes = block(s, s->siblings.wholes, sizeof(*s->takes));
	if (s->failed || !make_scopes(s) || !make_placement(s) || !make_domains(s)) {
		simulation_free(s);
		return NULL;
	}
	plan_start(&s->plan);
	for (u32 i = 0; i < cpus; i++) {
		struct cpu_now *cpu = &s->cpus[i];

		cpu->key = stream_key(s->set.seed, CPU_STREAMS + i);
		cpu->queue.first = cpu->pending.first = cpu->timers = cpu->task = NOWHERE;
		cpu->rate = WORK;
		cpu->core = input->of.small_core[i];
		s->takes[cpu->core][BUSY]++;
	}
	for (u32 i = 0; i < tasks; i++) {
		s->tasks[i].key = stream_key(s->set.seed, i);
		s->tasks[i].woken_ns = NEVER;
	}
	return s;
}

void simulation_free(struct simulation *s)
{
	for (u32 i = 0; i < s->block_count; i++)
		free(s->blocks[i]);
	free(s->blocks);
	free(s);
}
