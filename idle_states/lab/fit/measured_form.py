"""The form of what the measuring script prints, which `fit` reads: a head, columns, samples.

    # idle-states measured 1
    # tool: idle-states 1.0
    # machine: 8335-GTH
    # cpu_model: POWER9, altivec supported
    # arch: ppc64le
    # release: 6.1.0-50-powerpc64le
    # version: #1 SMP Debian 6.1.176-1 (2026-07-02)
    # driver: powernv_idle
    # governor: menu
    # emulated: no
    # cpu: 7
    # waker: 3
    # pinned_cpus: 4,5,6,7
    # resolution_ns: 1
    # clocksource: timebase
    # frequency_khz: 2166000 to 3800000
    # frequency_governor: ondemand
    # method_timer: timer:hrtimer_expire_entry, now - expires
    # method_ipi: sched:sched_waking to powerpc:doorbell_entry or power:cpu_idle
    # state: cpu=7 state=1 latency=2 residency=20 disable=0 name=stop0
    # reached: state=3 counter=c6-residency of_idle=0.931 name=C6
    # left_out: 12 another state was entered
    # note: no state but stop0 was enabled ...
    state,woken_by,busy,ns,idle_ns
    ,timer,1,1420,
    stop0,timer,0,2130,1000412
    stop0,ipi,0,3110,998120
    # end

Head lines are "# key: value", in any order; `state`, `reached`, `left_out` and `note` may come
several times. resolution_ns is the step of the clock as its times show it, 1 for steps below 8;
reached, the share of a state's idle time for which hardware counted it, where perf reads counters.
What is not known has no line. A file without "# end" was cut short. There is nothing private in it:
no name of a host, no address, no serial number.
"""

FORMAT = "# idle-states measured 1"
"""The first line."""

END = "# end"
"""The last line."""

COLUMNS = ("state", "woken_by", "busy", "ns", "idle_ns")
"""The columns, whose line follows the head.

state     the state's name in sysfs; empty where the CPU was busy
woken_by  timer: its own timer expired; ipi: another CPU sent an interrupt; write: another CPU wrote
          to a flag that the idle CPU polls or monitors, and no interrupt was sent
busy      1: measured with the CPU awake, which is what the measuring itself takes; else 0. By
          write, the CPU polls for it
ns        from the event that wakes to the CPU's first sign of life, a whole number
idle_ns   how long the CPU had been idle when the event came; empty where it was busy
"""

WOKEN_BY = ("timer", "ipi", "write")
