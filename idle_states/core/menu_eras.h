/* What menu is in each release: MenuFeatures, by the first release that has it. */
ERA(v4_6, .long_bits = 64, .typical_ceiling = U32_MAX, .typical_unknown = UNKNOWN_NEVER,
    .iowait = 1, .load = 1, .predicted_limit = 1, .stopped_tick = STOPPED_ANY,
    .override_in_limit = 1, .early_tick = EARLY_KEEP)
ERA(v4_11, .long_bits = 64, .typical_ceiling = U32_MAX, .typical_unknown = UNKNOWN_NEVER,
    .iowait = 1, .load = 1, .predicted_limit = 1, .stopped_tick = STOPPED_ANY, .scan_stops = 1,
    .override_in_limit = 1, .early_tick = EARLY_KEEP)
ERA(v4_14, .long_bits = 64, .typical_ceiling = U32_MAX, .typical_unknown = UNKNOWN_NEVER,
    .iowait = 1, .load = 1, .predicted_limit = 1, .stopped_tick = STOPPED_ANY,
    .skips_polling = 1, .zero_disabled = 1, .scan_stops = 1, .override_in_limit = 1,
    .early_tick = EARLY_KEEP)
ERA(v4_17, .long_bits = 64, .tick_wakeup = 1, .typical_ceiling = U32_MAX,
    .typical_unknown = UNKNOWN_NEVER, .iowait = 1, .load = 1, .predicted_limit = 1,
    .stopped_tick = STOPPED_CAPPED, .skips_polling = 1, .zero_disabled = 1, .scan_stops = 1,
    .override_in_limit = 1, .latency_shortens = 1, .decides_tick = 1, .early_tick = EARLY_KEEP)
ERA(v4_19, .long_bits = 64, .tick_wakeup = 1, .typical_ceiling = U32_MAX,
    .typical_unknown = UNKNOWN_NEVER, .iowait = 1, .load = 1, .predicted_limit = 1,
    .stopped_tick = STOPPED_EVENT, .skips_polling = 1, .zero_disabled = 1, .scan_stops = 1,
    .override_in_limit = 1, .latency_shortens = 1, .shallow_escape = 1, .decides_tick = 1,
    .early_tick = EARLY_KEEP, .stopped_tick_stays = 1)
ERA(v4_20, .long_bits = 64, .tick_wakeup = 1, .poll_limit = 1, .typical_ceiling = U32_MAX,
    .typical_unknown = UNKNOWN_LATE, .iowait = 1, .predicted_limit = 1,
    .stopped_tick = STOPPED_EVENT, .zero_disabled = 1, .scan_stops = 1, .early_return = 1,
    .polling_override = 1, .override_in_limit = 1, .latency_shortens = 1, .shallow_escape = 1,
    .decides_tick = 1, .early_tick = EARLY_KEEP, .stopped_tick_stays = 1)
ERA(v5_1, .long_bits = 64, .tick_wakeup = 1, .poll_limit = 1, .typical_ceiling = INT32_MAX,
    .typical_unknown = UNKNOWN_LATE, .iowait = 1, .predicted_limit = 1,
    .stopped_tick = STOPPED_EVENT, .zero_disabled = 1, .scan_stops = 1, .early_return = 1,
    .polling_override = 1, .override_in_limit = 1, .latency_shortens = 1, .shallow_escape = 1,
    .decides_tick = 1, .early_tick = EARLY_KEEP, .stopped_tick_stays = 1)
ERA(v5_4, .long_bits = 64, .tick_wakeup = 1, .poll_limit = 1, .typical_ceiling = INT32_MAX,
    .typical_unknown = UNKNOWN_LATE, .iowait = 1, .predicted_limit = 1,
    .stopped_tick = STOPPED_EVENT, .zero_disabled = 1, .scan_stops = 1, .early_return = 1,
    .polling_override = 1, .override_in_limit = 1, .shallow_escape = 1, .decides_tick = 1,
    .early_tick = EARLY_POLLS, .stopped_tick_stays = 1)
ERA(v5_5, .nanoseconds = 1, .long_bits = 64, .tick_wakeup = 1, .poll_limit = 1,
    .typical_ceiling = INT32_MAX, .typical_unknown = UNKNOWN_LATE, .iowait = 1,
    .predicted_limit = 1, .stopped_tick = STOPPED_EVENT, .zero_disabled = 1, .scan_stops = 1,
    .early_return = 1, .polling_override = 1, .override_in_limit = 1, .shallow_escape = 1,
    .decides_tick = 1, .early_tick = EARLY_POLLS, .stopped_tick_stays = 1)
ERA(v5_13, .nanoseconds = 1, .long_bits = 64, .tick_wakeup = 1, .poll_limit = 1,
    .negative_is_zero = 1, .typical_ceiling = INT32_MAX, .typical_unknown = UNKNOWN_LATE,
    .iowait = 1, .predicted_limit = 1, .stopped_tick = STOPPED_TIMER, .zero_disabled = 1,
    .scan_stops = 1, .early_return = 1, .polling_override = 1, .override_in_limit = 1,
    .shallow_escape = 1, .decides_tick = 1, .early_tick = EARLY_POLLS, .stopped_tick_stays = 1)
ERA(v6_6, .nanoseconds = 1, .long_bits = 64, .tick_wakeup = 1, .poll_limit = 1,
    .negative_is_zero = 1, .typical_first = 1, .typical_ceiling = INT32_MAX,
    .typical_unknown = UNKNOWN_ZEROS, .iowait = 1, .predicted_limit = 1,
    .stopped_tick = STOPPED_TIMER, .zero_disabled = 1, .scan_stops = 1, .early_return = 1,
    .polling_override = 1, .override_in_limit = 1, .shallow_escape = 1, .decides_tick = 1,
    .early_tick = EARLY_POLLS, .stopped_tick_stays = 1)
ERA(v6_13, .nanoseconds = 1, .long_bits = 64, .tick_wakeup = 1, .poll_limit = 1,
    .negative_is_zero = 1, .typical_first = 1, .typical_ceiling = INT32_MAX,
    .typical_unknown = UNKNOWN_ZEROS, .predicted_limit = 1, .stopped_tick = STOPPED_TIMER,
    .zero_disabled = 1, .scan_stops = 1, .early_return = 1, .polling_override = 1,
    .override_in_limit = 1, .shallow_escape = 1, .decides_tick = 1, .early_tick = EARLY_POLLS,
    .stopped_tick_stays = 1)
ERA(v6_15, .nanoseconds = 1, .long_bits = 64, .tick_wakeup = 1, .poll_limit = 1,
    .negative_is_zero = 1, .typical_first = 1, .trims_both_ends = 1, .typical_maximum = 1,
    .typical_ceiling = INT32_MAX, .typical_unknown = UNKNOWN_ZEROS, .predicted_limit = 1,
    .stopped_tick = STOPPED_TIMER, .zero_disabled = 1, .scan_stops = 1, .early_return = 1,
    .polling_override = 1, .override_in_limit = 1, .shallow_escape = 1, .decides_tick = 1,
    .early_tick = EARLY_POLLS, .stopped_tick_stays = 1)
ERA(v6_17, .nanoseconds = 1, .long_bits = 64, .rejected_is_unknown = 1, .tick_wakeup = 1,
    .poll_limit = 1, .negative_is_zero = 1, .typical_first = 1, .trims_both_ends = 1,
    .typical_maximum = 1, .typical_ceiling = INT32_MAX, .typical_unknown = UNKNOWN_ZEROS,
    .stopped_tick = STOPPED_TIMER, .zero_disabled = 1, .scan_stops = 1, .early_return = 1,
    .polling_override = 1, .latency_first = 1, .shallow_escape = 1, .decides_tick = 1,
    .early_tick = EARLY_POLLS, .stopped_tick_stays = 1)
ERA(v6_18, .nanoseconds = 1, .long_bits = 64, .rejected_is_unknown = 1, .tick_wakeup = 1,
    .poll_limit = 1, .negative_is_zero = 1, .typical_first = 1, .trims_both_ends = 1,
    .typical_ceiling = INT32_MAX, .typical_unknown = UNKNOWN_ZEROS,
    .stopped_tick = STOPPED_TIMER, .zero_disabled = 1, .scan_stops = 1, .early_return = 1,
    .polling_override = 1, .override_in_time = 1, .latency_first = 1, .shallow_escape = 1,
    .decides_tick = 1, .early_tick = EARLY_POLLS, .stopped_tick_stays = 1)
ERA(v6_19, .nanoseconds = 1, .long_bits = 64, .rejected_is_unknown = 1, .tick_wakeup = 1,
    .poll_limit = 1, .negative_is_zero = 1, .typical_first = 1, .trims_both_ends = 1,
    .typical_ceiling = INT32_MAX, .typical_unknown = UNKNOWN_ZEROS,
    .stopped_tick = STOPPED_TIMER, .zero_disabled = 1, .scan_stops = 1, .early_return = 1,
    .polling_override = 1, .override_in_time = 1, .override_short = 1, .latency_first = 1,
    .shallow_escape = 1, .decides_tick = 1, .early_tick = EARLY_POLLS, .stopped_tick_stays = 1)
ERA(v7_0, .nanoseconds = 1, .long_bits = 64, .rejected_is_unknown = 1, .tick_wakeup = 1,
    .poll_limit = 1, .negative_is_zero = 1, .typical_first = 1, .stopped_asks_timers = 1,
    .trims_both_ends = 1, .typical_ceiling = INT32_MAX, .typical_unknown = UNKNOWN_ZEROS,
    .stopped_tick = STOPPED_TIMER, .zero_disabled = 1, .scan_stops = 1, .early_return = 1,
    .polling_override = 1, .override_in_time = 1, .override_short = 1, .latency_first = 1,
    .shallow_escape = 1, .decides_tick = 1, .early_tick = EARLY_POLLS, .stopped_tick_stays = 1)
ERA(v7_1, .nanoseconds = 1, .long_bits = 64, .rejected_is_unknown = 1, .tick_wakeup = 1,
    .poll_limit = 1, .negative_is_zero = 1, .typical_first = 1, .stopped_asks_timers = 1,
    .trims_both_ends = 1, .typical_ceiling = INT32_MAX, .typical_unknown = UNKNOWN_ZEROS,
    .stopped_tick = STOPPED_TIMER, .stopped_margin = 1, .zero_disabled = 1, .scan_stops = 1,
    .early_return = 1, .polling_override = 1, .override_in_time = 1, .override_short = 1,
    .latency_first = 1, .shallow_escape = 1, .decides_tick = 1, .early_tick = EARLY_POLLS,
    .stopped_tick_stays = 1)
ERA(vdebian_6_1_147, .nanoseconds = 1, .long_bits = 64, .tick_wakeup = 1, .poll_limit = 1,
    .negative_is_zero = 1, .typical_maximum = 1, .typical_ceiling = INT32_MAX,
    .typical_unknown = UNKNOWN_LATE, .iowait = 1, .predicted_limit = 1,
    .stopped_tick = STOPPED_TIMER, .zero_disabled = 1, .scan_stops = 1, .early_return = 1,
    .polling_override = 1, .override_in_limit = 1, .shallow_escape = 1, .decides_tick = 1,
    .early_tick = EARLY_POLLS, .stopped_tick_stays = 1)
ERA(vdebian_6_1_158, .nanoseconds = 1, .long_bits = 64, .rejected_is_unknown = 1,
    .tick_wakeup = 1, .poll_limit = 1, .negative_is_zero = 1, .typical_ceiling = INT32_MAX,
    .typical_unknown = UNKNOWN_LATE, .iowait = 1, .predicted_limit = 1,
    .stopped_tick = STOPPED_TIMER, .zero_disabled = 1, .scan_stops = 1, .early_return = 1,
    .polling_override = 1, .override_in_limit = 1, .shallow_escape = 1, .decides_tick = 1,
    .early_tick = EARLY_POLLS, .stopped_tick_stays = 1)
ERA(vdebian_6_12_117, .nanoseconds = 1, .long_bits = 64, .rejected_is_unknown = 1,
    .tick_wakeup = 1, .poll_limit = 1, .negative_is_zero = 1, .typical_first = 1,
    .stopped_asks_timers = 1, .typical_ceiling = INT32_MAX, .typical_unknown = UNKNOWN_ZEROS,
    .stopped_tick = STOPPED_TIMER, .zero_disabled = 1, .scan_stops = 1, .early_return = 1,
    .polling_override = 1, .override_in_time = 1, .override_short = 1, .latency_first = 1,
    .shallow_escape = 1, .decides_tick = 1, .early_tick = EARLY_POLLS, .stopped_tick_stays = 1)
