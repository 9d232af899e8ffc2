/* What the two halves of the powernv harness, one per kernel source, offer each other. */
#ifndef ORACLE_POWERNV_H
#define ORACLE_POWERNV_H

/* What 4.8 to 4.10 set besides the level when they enter a stop state. */
#define OLD_FIELDS \
	(PSSCR_ESL | PSSCR_EC | PSSCR_PSLL_MASK | PSSCR_TR_MASK | PSSCR_MTL_MASK)

int oracle_platform_initcall(void);
int oracle_driver_initcall(void);
void oracle_report_platform(void);
void oracle_report_driver(void);

#endif
