/* Includes BODY once for each instruction set there is code for, see levels.h. */
#define LEVEL 0
#include BODY
#undef LEVEL

#ifdef LEVELS
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v3")
#define LEVEL 3
#include BODY
#undef LEVEL
#pragma GCC pop_options

#pragma GCC push_options
#pragma GCC target("arch=x86-64-v4,prefer-vector-width=512")
#define LEVEL 4
#include BODY
#undef LEVEL
#pragma GCC pop_options
#endif
#undef BODY
