/* What teo is in each release: TeoFeatures, by the first release that has it. */
ERA(v5_14, .nanoseconds = 1, .signed_ = 1, .excludes_overhead = 1, .bins = 1,
    .late_constraint = 1, .recent_duration = 1, .ring_slots = 8, .early_hits_below = 1,
    .disabled_metrics = 1, .recent_from_first = 1, .short_counts = 1, .recent = 1,
    .stopped_tick = STOPPED_SPAN, .tick_intercepts = INTERCEPTS_ALL,
    .tick_idles = TICKS_ENDLESS)
ERA(v6_3, .nanoseconds = 1, .signed_ = 1, .excludes_overhead = 1, .bins = 1,
    .late_constraint = 1, .recent_duration = 1, .ring_slots = 8, .early_hits_below = 1,
    .disabled_metrics = 1, .recent_from_first = 1, .short_counts = 1, .recent = 1,
    .utilisation = 1, .stopped_tick = STOPPED_SPAN, .tick_intercepts = INTERCEPTS_ALL,
    .tick_idles = TICKS_ENDLESS)
ERA(v6_6, .nanoseconds = 1, .signed_ = 1, .excludes_overhead = 1, .bins = 1,
    .late_constraint = 1, .recent_duration = 1, .ring_slots = 8, .early_hits_below = 1,
    .disabled_metrics = 1, .recent_from_first = 1, .short_counts = 1, .recent = 1,
    .utilisation = 2, .lazy_timers = 1, .stopped_tick = STOPPED_RESIDENCY, .tick_hits = 1,
    .tick_intercepts = INTERCEPTS_ALL, .tick_idles = TICKS_ENDLESS)
ERA(v6_11, .nanoseconds = 1, .signed_ = 1, .excludes_overhead = 1, .bins = 1,
    .late_constraint = 1, .recent_duration = 1, .ring_slots = 8, .early_hits_below = 1,
    .disabled_metrics = 1, .recent_from_first = 1, .short_counts = 1, .lazy_timers = 1,
    .stopped_tick = STOPPED_RESIDENCY, .tick_hits = 1, .asks_for_zero = 1,
    .tick_intercepts = INTERCEPTS_ALL, .tick_idles = TICKS_ENDLESS)
ERA(v6_14, .nanoseconds = 1, .signed_ = 1, .excludes_overhead = 1, .bins = 1,
    .late_constraint = 1, .recent_duration = 1, .ring_slots = 8, .early_hits_below = 1,
    .disabled_metrics = 1, .recent_from_first = 1, .short_counts = 1, .lazy_timers = 1,
    .stopped_tick = STOPPED_RESIDENCY, .short_idles = 1, .wakeup_flag = 1,
    .tick_intercepts = INTERCEPTS_BEYOND, .running_total = 1, .tick_idles = TICKS_ENDLESS)
ERA(v6_19, .nanoseconds = 1, .signed_ = 1, .excludes_overhead = 1, .bins = 1,
    .late_constraint = 1, .recent_duration = 1, .ring_slots = 8, .early_hits_below = 1,
    .disabled_metrics = 1, .recent_from_first = 1, .short_counts = 1, .lazy_timers = 1,
    .stopped_tick = STOPPED_RESIDENCY, .timer_wins = 1, .short_idles = 1, .wakeup_flag = 1,
    .tick_intercepts = INTERCEPTS_WITHIN, .decays_to_zero = 1, .tick_idles = TICKS_MEASURED,
    .deepest_for_ticks = 1, .passes_disabled = 1)
ERA(v7_0, .nanoseconds = 1, .signed_ = 1, .excludes_overhead = 1, .bins = 1,
    .late_constraint = 1, .recent_duration = 1, .ring_slots = 8, .early_hits_below = 1,
    .disabled_metrics = 1, .recent_from_first = 1, .short_counts = 1, .lazy_timers = 1,
    .stopped_tick = STOPPED_RESIDENCY, .timer_wins = 1, .short_idles = 1, .wakeup_flag = 1,
    .tick_intercepts = INTERCEPTS_WITHIN, .decays_to_zero = 1, .tick_idles = TICKS_UNLESS,
    .deepest_for_ticks = 1, .passes_disabled = 1, .two_thirds = 1, .close_hits = 1,
    .peak_first = 1, .empty_bins = 1)
ERA(v7_1, .nanoseconds = 1, .signed_ = 1, .excludes_overhead = 1, .bins = 1,
    .late_constraint = 1, .recent_duration = 1, .ring_slots = 8, .early_hits_below = 1,
    .disabled_metrics = 1, .recent_from_first = 1, .short_counts = 1, .lazy_timers = 1,
    .stopped_tick = STOPPED_LAST, .timer_wins = 1, .short_idles = 1, .wakeup_flag = 1,
    .tick_intercepts = INTERCEPTS_WITHIN, .decays_to_zero = 1, .tick_idles = TICKS_UNLESS,
    .deepest_for_ticks = 1, .passes_disabled = 1, .two_thirds = 1, .close_hits = 1,
    .peak_first = 1)
ERA(vdebian_6_12_73, .nanoseconds = 1, .signed_ = 1, .excludes_overhead = 1, .bins = 1,
    .late_constraint = 1, .recent_duration = 1, .ring_slots = 8, .early_hits_below = 1,
    .disabled_metrics = 1, .recent_from_first = 1, .short_counts = 1, .lazy_timers = 1,
    .stopped_tick = STOPPED_RESIDENCY, .tick_hits = 1, .timer_wins = 1, .asks_for_zero = 1,
    .tick_intercepts = INTERCEPTS_ALL, .tick_idles = TICKS_ENDLESS)
ERA(vdebian_6_18_5, .nanoseconds = 1, .signed_ = 1, .excludes_overhead = 1, .bins = 1,
    .late_constraint = 1, .recent_duration = 1, .ring_slots = 8, .early_hits_below = 1,
    .disabled_metrics = 1, .recent_from_first = 1, .short_counts = 1, .lazy_timers = 1,
    .stopped_tick = STOPPED_RESIDENCY, .timer_wins = 1, .short_idles = 1, .wakeup_flag = 1,
    .tick_intercepts = INTERCEPTS_BEYOND, .running_total = 1, .tick_idles = TICKS_ENDLESS)
