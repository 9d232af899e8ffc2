/* menu's features, those of MenuFeatures, and its constants. */
#ifndef IDLE_STATES_MENU_H
#define IDLE_STATES_MENU_H

#include "core.h"
#include "menu_features.h"

/* Code for the features of some releases. */
struct menu_era {
	struct menu_features features;
	replay_fn *run;
};

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
#define STILL_ALIKE_DEVIATION 20 /* us */
#define NEAR_TIMER_US 5
#define POLLING_THRESHOLD_US 20

#endif
