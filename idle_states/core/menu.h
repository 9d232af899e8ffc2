/* menu's features: the fields of MenuFeatures. */
#ifndef IDLE_STATES_MENU_H
#define IDLE_STATES_MENU_H

#define MENU_FEATURES(X)                                                                        \
	X(nanoseconds) X(long_bits) X(rejected_is_unknown) X(tick_wakeup) X(poll_limit)         \
	X(negative_is_zero) X(signed_event) X(typical_first) X(stopped_asks_timers)             \
	X(trims_both_ends) X(typical_maximum) X(typical_ceiling) X(typical_unknown) X(iowait)   \
	X(load)                                                                                 \
	X(predicted_limit) X(stopped_tick) X(stopped_margin) X(polling_loop) X(skips_polling)   \
	X(zero_disabled) X(scan_stops) X(early_return) X(polling_override) X(override_in_limit) \
	X(override_in_time) X(override_short) X(latency_first) X(latency_shortens)              \
	X(shallow_escape) X(decides_tick) X(early_tick) X(stopped_tick_stays)

#define MENU_FIELD(name) u32 name;
struct menu_features {
	MENU_FEATURES(MENU_FIELD)
};

enum { UNKNOWN_NEVER, UNKNOWN_LATE, UNKNOWN_ZEROS };
enum { STOPPED_ANY, STOPPED_CAPPED, STOPPED_EVENT, STOPPED_TIMER };
enum { EARLY_KEEP, EARLY_POLLS };

#define INTERVALS 8
#define FEW 6          /* samples or less: nothing more is dropped */
#define STILL_ALIKE 400 /* variance, us^2 */
#define UNKNOWN U32_MAX
#define RESOLUTION 1024
#define DECAY 8
#define UNITY (RESOLUTION * DECAY)
#define BINS 6
#define INTERESTING_US 50000
#define TICK_WAKEUP_US 45000
#define THRESHOLD_US 15
#define POLLING_THRESHOLD_US 20

#endif
