/* What the two halves of the powernv harness, one per kernel source, offer each other. */
#ifndef ORACLE_POWERNV_H
#define ORACLE_POWERNV_H

int oracle_platform_initcall(void);
int oracle_driver_initcall(void);
void oracle_report_platform(void);
void oracle_report_driver(void);

#endif
