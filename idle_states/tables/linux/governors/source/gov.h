/* For a governor whose own gov.h is not beside it; the value since 6.6, when the file came. */
#ifndef RESIDENCY_THRESHOLD_NS
#define RESIDENCY_THRESHOLD_NS (15 * NSEC_PER_USEC)
#endif
