"""Workloads: what CPUs did, read from traces, counters and exact recordings, and replayed.

inputs       opens a file and tells what it is by its content
trace_text   ftrace, trace-cmd report and perf script text -> events, chunk by chunk
trace_dat    trace.dat, through trace-cmd
periods      events -> idle periods; everything that does not pair is counted
recording    exact recordings: every input of every decision
sysfs        dumps of cpuidle sysfs: tables and counters
machine      which table each CPU has
polling      how long state 0 polls before the governor is asked again
counters     usage, time, above and below as a kernel counts them
observed     what the trace itself shows, judged by the table of the traced machine
replay       idle periods and recordings through a governor's model
run          one replay from its inputs to figures
problems     what was wrong with the input, counted
"""
