/* Beginning and end of a simulation: what it keeps, from its topology. */
#include <stdlib.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#include "simulate_state.h"

#define ALIGNMENT 128
#define HUGE_PAGE (2ull << 20)
#define SMALL (64ull << 10)

/* A piece of memory, of which blocks are taken one behind the other. */
struct piece {
	struct piece *before;
};

/* Whether there are so many bytes now. Much is asked for in huge pages: with small ones of 4 KiB each
 * event would wait for the addresses of its own. */
static bool more_memory(struct simulation *s, u64 bytes)
{
	u64 all = s->set.cpus * (MEMORY_STRIDE + sizeof(struct cpu_now)) + s->set.tasks * sizeof(struct task);
	u64 unit = all < HUGE_PAGE / 2 ? SMALL : HUGE_PAGE;
	u64 size = (bytes + ALIGNMENT + unit - 1) / unit * unit;
	struct piece *piece = aligned_alloc(unit, size);

	if (!piece)
		return false;
#ifdef MADV_HUGEPAGE
	if (unit == HUGE_PAGE)
		madvise(piece, size, MADV_HUGEPAGE); /* without them it is slower */
#endif
	piece->before = s->memory;
	s->memory = piece;
	s->unused = (char *)piece + ALIGNMENT;
	s->unused_bytes = size - ALIGNMENT;
	return true;
}

/* All 0; freed with the simulation. NULL: no memory, now or before. */
static void *block(struct simulation *s, u64 count, u64 size)
{
	u64 bytes = (count * size + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
	void *found;

	if (s->failed || (bytes > s->unused_bytes && !more_memory(s, bytes))) {
		s->failed = true;
		return NULL;
	}
	found = s->unused;
	s->unused += bytes;
	s->unused_bytes -= bytes;
	return memset(found, 0, bytes);
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
	struct scopes *scopes = &s->scopes;
	u32 cpus = (u32)s->set.cpus;
	struct split cores = split_of(s, of->small_core, cpus);

	scopes->effects = s->in.effects;
	scopes->scope_ns = s->in.scope_ns;
	scopes->states = (u32)s->set.states;
	for (u32 i = 0; i < scopes->states; i++)
		scopes->deepest = (u32)greatest(scopes->deepest, s->in.effects[i].scope);
	for (u32 scope = 1; scope < SCOPES; scope++) {
		scopes->count[scope] = groups_in(by_cpu[scope], cpus);
		scopes->instances[scope] = block(s, scopes->count[scope], sizeof(struct instance));
	}
	if (s->failed)
		return false;
	scopes->last = SCOPES - 1;
	while (scopes->last > greatest(scopes->deepest, CORE) &&
	       scopes->count[scopes->last] == scopes->count[scopes->last - 1])
		scopes->last--;
	for (u32 cpu = 0; cpu < cpus; cpu++) {
		s->cpus[cpu].thread = (struct thread){.core = of->small_core[cpu], .level = AWAKE};
		for (u32 scope = 1; scope + 1 < SCOPES; scope++)
			scopes->instances[scope][by_cpu[scope][cpu]].whole = by_cpu[scope + 1][cpu];
		scopes->instances[CORE][of->small_core[cpu]].parts[AWAKE + 1]++;
		scopes->instances[CORE][of->small_core[cpu]].takes[BUSY]++;
	}
	s->siblings = cores.parts;
	for (u32 core = 0; core < cores.wholes; core++) {
		scopes->instances[CORE][core].first_thread = cores.first[core];
		scopes->instances[CORE][core].threads = cores.first[core + 1] - cores.first[core];
	}
	for (u32 scope = 1; scope < SCOPES; scope++)
		for (u32 i = 0; i < scopes->count[scope]; i++) {
			struct instance *instance = &scopes->instances[scope][i];

			instance->level = AWAKE;
			if (scope + 1 < SCOPES)
				scopes->instances[scope + 1][instance->whole].parts[AWAKE + 1]++;
		}
	return true;
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

/* Adds a CPU's bit to those of its core. used: spans so far, which is returned. */
static u32 add_bit(struct placement *p, const struct seat *seat, u32 used)
{
	u32 word = seat->bit / WORD_BITS, at = seat->core;

	while (p->spans[at].mask && p->spans[at].word != word && p->spans[at].next != NOWHERE)
		at = p->spans[at].next;
	if (p->spans[at].mask && p->spans[at].word != word) {
		p->spans[at].next = used;
		at = used++;
	}
	p->spans[at].word = word;
	p->spans[at].next = NOWHERE;
	p->spans[at].mask |= 1ull << seat->bit % WORD_BITS;
	return used;
}

static bool make_placement(struct simulation *s)
{
	const struct groupings *of = &s->in.of;
	struct placement *p = &s->placement;
	u32 cpus = (u32)s->set.cpus, words = 0, spans = groups_in(of->smt, cpus);

	p->recent = s->set.recent;
	p->cluster = (u32)s->set.cluster;
	p->seats = (char *)&s->cpus->seat;
	p->clusters = of->cluster;
	p->cluster_busy = block(s, cpus, sizeof(u32));
	p->spans = block(s, spans + cpus, sizeof(struct span));
	p->llc = split_of(s, of->llc, cpus);
	p->word = block(s, p->llc.wholes + 1, sizeof(u32));
	p->llc_tasks = block(s, p->llc.wholes, sizeof(u32));
	if (s->failed)
		return false;
	for (u32 llc = 0; llc < p->llc.wholes; llc++) {
		u32 size = p->llc.first[llc + 1] - p->llc.first[llc];

		p->word[llc] = words;
		for (u32 i = 0; i < size; i++) {
			u32 cpu = p->llc.parts[p->llc.first[llc] + i];

			*seat_of(p, cpu) = (struct seat){.llc = llc,
							 .core = of->smt[cpu],
							 .bit = words * WORD_BITS + i};
		}
		words += (size + WORD_BITS - 1) / WORD_BITS;
	}
	p->word[p->llc.wholes] = words;
	p->idle = block(s, words, sizeof(u64));
	p->idle_core = block(s, words, sizeof(u64));
	if (s->failed)
		return false;
	for (u32 cpu = 0; cpu < cpus; cpu++) {
		set_bit(p->idle, seat_of(p, cpu)->bit, true);
		set_bit(p->idle_core, seat_of(p, cpu)->bit, true);
		spans = add_bit(p, seat_of(p, cpu), spans);
	}
	return true;
}

static bool same_program(const struct program *one, const struct program *other)
{
	struct program same = *one;

	same.number = other->number;
	return !memcmp(&same, other, sizeof(same));
}

struct simulation *simulation_new(const struct sim_input *input)
{
	struct simulation *s = calloc(1, sizeof(*s));
	u32 cpus = (u32)input->setting->cpus, tasks = (u32)input->setting->tasks;

	if (!s)
		return NULL;
	s->in = *input;
	s->set = *input->setting;
	s->plan.leaves = leaves_for(cpus);
	s->plan.next = block(s, 2 * s->plan.leaves, sizeof(entry));
	s->cpus = block(s, cpus, sizeof(struct cpu_now));
	s->averages = block(s, cpus, sizeof(struct average));
	s->phases = block(s, cpus, sizeof(u8));
	s->tasks = block(s, tasks, sizeof(struct task));
	s->more = block(s, tasks, sizeof(struct task_more));
	s->idled = block(s, cpus * s->set.states, sizeof(struct idled));
	s->stretches = block(s, s->set.foreseen ? cpus : 0, sizeof(struct stretch));
	s->memories = block(s, cpus, MEMORY_STRIDE);
	s->alike_count = input->other_count;
	s->alike = block(s, s->alike_count, sizeof(u32));
	s->other_memories = block(s, s->alike_count * cpus, MEMORY_STRIDE);
	if (s->failed || !make_scopes(s) || !make_placement(s) || !make_domains(s)) {
		simulation_free(s);
		return NULL;
	}
	plan_start(&s->plan);
	for (u32 i = 0; i < s->alike_count; i++) {
		s->alike[i] = i;
		s->in.agreed[i] = NEVER;
	}
	for (u32 i = 0; i < cpus; i++) {
		struct cpu_now *cpu = &s->cpus[i];

		cpu->stream = stream_key(s->set.seed, CPU_STREAMS + i);
		cpu->queue.first = cpu->pending.first = cpu->timers = cpu->task = NOWHERE;
		cpu->rate = WORK;
		cpu->planned = cpu->timer = NO_PLAN;
		if (s->set.foreseen)
			s->stretches[i].since = NEVER;
	}
	for (u32 i = 0; i < tasks; i++) {
		s->tasks[i].stream = stream_key(s->set.seed, i);
		s->tasks[i].woken_ns = NEVER;
		s->tasks[i].program = i && same_program(&input->programs[i - 1], &input->programs[i])
					      ? s->tasks[i - 1].program
					      : i;
	}
	return s;
}

void simulation_free(struct simulation *s)
{
	while (s->memory) {
		struct piece *piece = s->memory;

		s->memory = piece->before;
		free(piece);
	}
	free(s);
}
