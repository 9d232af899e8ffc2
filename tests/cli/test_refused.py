"""Command lines that are refused before anything is done, and the words that say why.

What needs a file, or is refused of what a file says, is tested where it is read.
"""

import shlex

import pytest

from tests.support.commands import Capture, run

REFUSED = {
    "": """
        check powr9 => did you mean 'power9'?
        check ./nothing.yaml => expected a file, found none of that
        show power9 --kernel 3.9 => expected a kernel
        show power9 --platform moon => expected a platform
        show power9 --platform ranier => did you mean 'rainier'?
        show power9 --platform op920,fusedcore=yes => did you mean 'fused-core'?
        show power9 --platform skiboot=1.0 => expected skiboot 4.0 or later
        explain IS999 => expected a rule
        generate power9 --to md --self-test => --self-test with --to c only
        generate power9 --to md --versioned => --versioned with --to dts or dtb
        generate power9 => --to
        generate power9 --to c --check => expected -o
        select power8 --kernel 4.3 => expected a release from 4.4 on for menu
        shwo power9 => found 'shwo'; did you mean 'show'?
        show power9 --kernle 4.11 => --kernle 4.11; did you mean '--kernel'?
        nonsense => expected a command, found 'nonsense'
        => COMMAND
        replay t --table power9 --polling => expected --polling with --states only
        simulate server --table power9 --polling => expected --polling with --states only
        select power9 --polling => expected --polling with --states only
        conform v --table power9 --polling => expected --polling with --states only
        prove power9 --latency-limit -1 => expected --latency-limit from 0 to
        prove power9 --wake 20000000000 => expected --wake from 0 to
        check power9 --select IS4 --ignore IS => none with --select IS4 and --ignore IS
        select power9 --governor meno => (ladder, menu, teo), found 'meno'; did you mean 'menu'
        kernels --table power9 --governor haltpoll => 'haltpoll', which prove and simulate
        prove power9 --governor meno => (haltpoll, ladder, menu, teo), found 'meno'
        show --platform skylak => found 'skylak'; did you mean 'skylake'?
        kernels --platform sxk => an x86 processor such as skx
        check --platform sxk => an x86 processor such as skx
        show --platform SPR => found 'SPR'; did you mean 'spr'?
        show power9 --platform op92 => found 'op92'; did you mean 'op920'?
        show --platform op920 => expected TABLE, or an x86 machine such as skx as --platform
        select --platform spr,pc6=off,pc6=on => expected pc6 once, found it twice
        limit intel:skx 70 => expected LIMIT before TABLE, found intel:skx before 70
        show skx => found 'skx'; did you mean 'intel:skx'?
        show SKX,pc6=off => found 'SKX,pc6=off'; did you mean 'intel:skx,pc6=off'?
        show intle:skx => did you mean 'intel:skx'?
        check intel:SKX => found 'SKX'; did you mean 'skx'?
        select intel: => expected a processor (nhm,
        show powr9 => did you mean 'power9'?
        replay --table power9 => expected a trace, a recording or a sysfs dump
    """,
    "kernels": """
        1 2 3 => expected at most two kernels
        6.6.93 --table power9 => , or two kernels,
        --table power9 --governor haltpoll => expected a governor with steady states
        --table power9 --states 0/2000 => expected a table or --states
        --governor meno => expected a governor
        6.6 --polling => expected --polling with --states
        6.6 --html x.html => expected --html with --table
        sixpointone => expected a kernel such as
    """,
    "limit 5 intel:icx": """
        --trace t --workload pipe => expected --trace or --workload, found both
        --trace t --kernel 6.1,6.6 => expected one kernel
        --governor haltpoll => steady states
        --governor no => expected a governor
    """,
    "boot": """
        --machine pseries => expected a machine of powernv8, powernv9, powernv10
        --machine powernv9 --smp 0 => expected 1 to 16 CPUs with powernv9, found 0
        --machine powernv9 --smp 17 => found 17
        --machine powernv8 --smp 13 => expected 1 to 12 CPUs with powernv8, found 13
        --machine powernv9 --workload make => expected a workload of storm, ping-pong
        --machine powernv9 --governor fast => expected a governor of menu, teo, ladder
        --machine powernv9 --time-limit 0 => expected a time limit above 0 s
        --machine powernv9 --time-limit nan => expected a time limit above 0 s
        --machine powernv9 --levels many => expected a mask of 32 bits
        --machine powernv9 --levels 0x100000000 => expected a mask of 32 bits
        --machine powernv8 --levels 0xc0000000 => powernv8 has no stop levels
        --machine q35 => expected a TABLE with q35, found none
        t --machine q35 --lid l => expected --lid with a powernv machine
        t --machine q35 --smp 9 => expected 1 to 8 CPUs with q35
        t --machine q35 --governor none => expected a governor of
        t --machine virt-arm64 --cpu EPYC => expected --cpu with q35
        t --machine powernv9 --append x => expected --append with q35
        --machine virt-arm64 => expected a TABLE with virt-arm64, found none
        t --machine virt-arm64 --lid l => expected --lid with a powernv machine
        t --machine virt-riscv64 --levels 1 => expected --levels with a powernv
        t --machine virt-arm64 --smp 9 => expected 1 to 8 CPUs
        t --machine virt-arm64 --workload idle --governor haltpoll => recorded (menu, teo, ladder)
        t --machine virt-sparc => virt-arm64, virt-riscv64, q35, found 'virt-sparc'
    """,
    "boot --machine powernv9": """
        --patch mambo-stop4 => expected --patch with --tree DIR
        power9 --tree t --patch mambo-stop4 => expected a TABLE or --patch
        --workload ping-pong => expected --smp 2 or more with ping-pong, found 1: on one
    """,
    "measure": """
        --samples 0 => expected 1 to 1000000 samples, found 0
        --samples 1000001 => expected 1 to 1000000 samples, found 1000001
        --cpu -1 => expected the number of a CPU, found -1
        --cpu 2 --waker 2 => expected CPU 2 to be woken by another one
    """,
    "record": """
        --arch ppc64 => expected an architecture (ppc64le, x86-64, arm64), found 'ppc64'
        --governor haltpoll => expected a governor (menu, teo, ladder), found 'haltpoll'
        --seconds 0 => expected 1 to 86400 seconds, found 0
        --buffer 1 => expected 64 to 4194304 KiB of buffer, found 1
    """,
    "tune power9 --workload hand-off --topology smt4 --duration 5ms --power implied": """
        --workload hand-off:work=x => expected work as a time
        --topology cpus=x => expected a number for cpus
        --topology cpus=99999999 => expected a number of at most 6 digits for cpus
        --placement recent=x => expected recent=on|off
        --runs 0 => --runs from 1 to 10000
        --duration 5 => --duration: expected a time with its unit, such as 200ns
        --ipi 5 => --ipi: expected a time with its unit
        --exit stop7=1us => --exit: expected STATE=TIME with a state (snooze
        --workload nosuch => expected a workload (busy-waker
        --governor none => expected a governor for --workload
        --gaps x => one of the three
    """,
    "simulate": """
        => expected a workload
        nothing --table power9 => expected a workload (busy-waker
        pingpong:work=3us --table power9 => ; did you mean 'ping-pong'?
        pipe => expected a table
        pipe --table power9 --polling => --polling with --states
        pipe:work=3 --table power9 => time with its unit
        pipe --table power9 --topology cpus=6,threads=4 => multiples of 4
        pipe --table power9 --placement smt=none => smt=small|big
        pipe --table power9 --duration 0ns => --duration from 1ns
        pipe --table power9 --duration 5 => time with its unit
        pipe --table power9 --runs 0 => --runs from 1
        pipe --table power9 --seed -1 => --seed from 0
        pipe --table power9 --seed 18446744073709551615 --runs 2 => to 18446744073709551614,
        pipe --table power9 --hz 0 => --hz from 1
        pipe --table power9 --wake 0ns => expected wake from 1
        pipe --table power9 --jitter 1h => --jitter: expected a time
        pipe --table power9 --smt-hold-permille x => expected a number
        pipe --table power9 --disabled stop99 => expected a state (snooze
        pipe --table power9 --exit stop99=1us => STATE=TIME
        pipe --table power9 --governor best => expected a governor
        pipe --table power9 --governor teo --kernel 4.11 => teo
        pipe --table power9 --kernel 4.11,4.12 => expected one kernel
        pipe --table nothing => nothing
        pipe --states 1 => EXIT/RESIDENCY
        ping-pong --table power9 --topology cpus=1 => CPU 1
    """,
    "stats": """
        => expected files or --summary
        - - => expected standard input once
        --summary 1,2 => expected N,Min,Max,Median,Avg,Stddev, found 2 values
        --summary 1,1,1,1,1,0 => --summary 1,1,1,1,1,0: expected N from 2
        --summary 2.5,1,1,1,1,0 => expected N to be a whole number
        --summary 2,1,1,1,nan,0 => expected Avg to be a number, found 'nan'
        --summary x=5,1,2,1,1,-1 => expected Stddev from 0
        '' => expected files, found the empty word ''
    """,
    "stats --summary 100,222784,473466,294510,302295.26,45380.6": """
        -c 100 => expected a confidence from 50 to 99.9999999999
        -c nan => expected a confidence
        -c '' => expected a confidence
        -c 49.9 => from 50 to 99.9999999999 percent, found '49.9'$
        -c 0.99 => found '0.99'; 99 % is 99, not 0.99
        --reference 2 => expected --reference from 1 to 1, found 2
        --reference 0 => expected --reference from 1 to 1, found 0
        --mean Hmean => expected --mean with --mmtests only
        --lower-is-better => expected --lower-is-better with --mmtests
        -c high => expected a confidence
        -n => expected --rows-only with --ministat only
        --ministat -w 1 => expected --width from 2
        -C 0 => expected --column from 1
        -d '' => expected characters for --delimiter
        -d ';' => expected samples for --delimiter, found --summary
        --histogram => expected samples, found --summary
        --schbench => expected samples, found --summary
        --mmtests => expected files with lines of NAME SAMPLE
        --ministat --histogram => not allowed with
    """,
}
"""What lines begin with -> the rest of each and, behind =>, a part of what is said; $: its end."""


LINES = [
    (f"{beginning} {rest}".strip(), said.strip())
    for beginning, rows in REFUSED.items()
    for rest, said in (row.split("=>") for row in rows.strip().splitlines())
]


@pytest.mark.parametrize(("line", "said"), LINES)
def test_a_line_that_cannot_be_meant_is_refused_in_one_line(
    line: str, said: str, capsys: Capture
) -> None:
    """Behind the usage at most, where it is no line of a command."""
    status, out, err = run(capsys, *shlex.split(line))
    *usage, last = err.splitlines()
    assert (status, out) == (2, "")
    assert said in f"{last}$"
    assert usage[:1] == [] or usage[0].startswith("usage: idle-states")
