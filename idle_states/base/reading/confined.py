"""Runs a program that must not reach anything: it sees the files that it is given, no network, no
other process, and it cannot start another.

    words = confined([compiler, "-c", "x.c"], Reach(read=("/usr",), write=(scratch,), starts=True))

The file is also the program that does it: it takes away what it has (Landlock of Linux 5.13 for
files, or a mount namespace of its own; seccomp for the rest) and becomes the other program. It
imports nothing of this package and is started with `python -I -S`.

Sources: Linux Documentation/userspace-api/landlock.rst, seccomp_filter.rst; system call numbers
arch/x86/entry/syscalls/syscall_64.tbl, include/uapi/asm-generic/unistd.h,
arch/powerpc/kernel/syscalls/syscall.tbl.
"""

import ctypes
import json
import os
import platform
import struct
import sys

# files: rights of Landlock's first to fifth version
_READ = 1 << 2 | 1 << 3
_RUN = 1 << 0
_WRITE = 1 << 1 | 0b1_1111_1111 << 4 | 1 << 14
_ALL = {1: 0x1FFF, 2: 0x3FFF, 3: 0x7FFF, 4: 0x7FFF}
_OF_FILES = _RUN | 1 << 1 | 1 << 2 | 1 << 14
_CREATE, _ADD, _RESTRICT = 444, 445, 446

# for kernels before that: namespaces, mounts, and the directory that a root of their own covers
_NEW_USER, _NEW_MOUNTS, _NEW_NETWORK, _NEW_IPC = 0x1000_0000, 0x2_0000, 0x4000_0000, 0x800_0000
_READ_ONLY, _NO_SETUID, _REMOUNT, _BIND = 1, 2, 32, 4096
_RECURSIVE, _PRIVATE = 1 << 14, 1 << 18
_LOCKED = 2 | 4 | 8 | 1024
_ROOT = "/mnt"

_SECCOMP, _FILTER, _NO_NEW_PRIVS = 22, 2, 38
_ALLOW, _REFUSE = 0x7FFF_0000, 0x0005_0001
_X32 = 0x4000_0000

# machine -> (AUDIT_ARCH, what a program of its own needs to compute, read and write, what none may)
_ALONE = (
    "read write fstat lseek mmap mprotect munmap mremap brk rt_sigaction rt_sigprocmask "
    "rt_sigreturn readlink readlinkat newfstatat futex set_tid_address set_robust_list rseq "
    "prlimit64 getrandom arch_prctl gettid getpid tgkill exit exit_group execve riscv_hwprobe"
).split()
_NEVER = (
    "socket connect bind socketcall ipc ptrace process_vm_readv process_vm_writev io_uring_setup "
    "bpf perf_event_open mount umount2 unshare setns keyctl add_key request_key userfaultfd shmget "
    "msgget semget kill pidfd_open pidfd_getfd open_by_handle_at move_mount fsopen open_tree"
).split()
_LATER = {"io_uring_setup": 425, "open_tree": 428, "move_mount": 429, "fsopen": 430}
_LATER |= {"pidfd_open": 434, "pidfd_getfd": 438}
_GENERIC = (
    "read 63 write 64 fstat 80 lseek 62 mmap 222 mprotect 226 munmap 215 mremap 216 brk 214 "
    "rt_sigaction 134 rt_sigprocmask 135 rt_sigreturn 139 readlinkat 78 newfstatat 79 futex 98 "
    "set_tid_address 96 set_robust_list 99 rseq 293 prlimit64 261 getrandom 278 gettid 178 "
    "getpid 172 tgkill 131 exit 93 exit_group 94 execve 221 riscv_hwprobe 258 socket 198 "
    "connect 203 bind 200 ptrace 117 process_vm_readv 270 process_vm_writev 271 bpf 280 "
    "perf_event_open 241 mount 40 umount2 39 unshare 97 setns 268 keyctl 219 add_key 217 "
    "request_key 218 userfaultfd 282 shmget 194 msgget 186 semget 190 kill 129 "
    "open_by_handle_at 265"
)
_MACHINES = {
    "x86_64": (
        0xC000_003E,
        "read 0 write 1 fstat 5 lseek 8 mmap 9 mprotect 10 munmap 11 brk 12 rt_sigaction 13 "
        "rt_sigprocmask 14 rt_sigreturn 15 mremap 25 getpid 39 execve 59 exit 60 readlink 89 "
        "arch_prctl 158 gettid 186 futex 202 set_tid_address 218 exit_group 231 tgkill 234 "
        "newfstatat 262 readlinkat 267 set_robust_list 273 prlimit64 302 getrandom 318 rseq 334 "
        "socket 41 connect 42 bind 49 ptrace 101 process_vm_readv 310 process_vm_writev 311 "
        "bpf 321 perf_event_open 298 mount 165 umount2 166 unshare 272 setns 308 keyctl 250 "
        "add_key 248 request_key 249 userfaultfd 323 shmget 29 msgget 68 semget 64 kill 62 "
        "open_by_handle_at 304",
    ),
    "aarch64": (0xC000_00B7, _GENERIC),
    "riscv64": (0xC000_00F3, _GENERIC),
    "ppc64le": (
        0xC000_0015,
        "exit 1 read 3 write 4 execve 11 lseek 19 getpid 20 brk 45 readlink 85 mmap 90 munmap 91 "
        "fstat 108 mprotect 125 mremap 163 rt_sigreturn 172 rt_sigaction 173 rt_sigprocmask 174 "
        "gettid 207 futex 221 set_tid_address 232 exit_group 234 tgkill 250 newfstatat 291 "
        "readlinkat 296 set_robust_list 300 prlimit64 325 getrandom 359 rseq 387 socket 326 "
        "connect 328 bind 327 socketcall 102 ipc 117 ptrace 26 process_vm_readv 351 "
        "process_vm_writev 352 bpf 361 perf_event_open 319 mount 21 umount2 52 unshare 282 "
        "setns 350 keyctl 271 add_key 269 request_key 270 userfaultfd 364 shmget 395 msgget 399 "
        "semget 393 kill 37 open_by_handle_at 346",
    ),
}


class NotConfined(Exception):
    """This machine has no way to confine a program. The message says which is missing."""


class Reach(dict):  # type: ignore[type-arg]
    """The reach of a program: paths that it reads (and runs), paths that it writes below, and
    whether it may start other programs."""

    def __init__(
        self, read: tuple[str, ...] = (), write: tuple[str, ...] = (), starts: bool = False
    ) -> None:
        super().__init__(read=read, write=write, starts=starts)


def confined(words: list[str], view: Reach) -> list[str]:
    """Returns the command line that runs another one confined to a view. words: an absolute name
    and its arguments."""
    return [sys.executable, "-I", "-S", os.path.abspath(__file__), json.dumps(view), *words]


def numbers(machine: str) -> dict[str, int]:
    """Returns the system calls of a machine that are named here: name -> number. Raises
    NotConfined for another machine."""
    if machine not in _MACHINES:
        raise NotConfined(
            f"expected {', '.join(_MACHINES)}, whose system calls are known, found {machine}"
        )
    found = _MACHINES[machine][1].split()
    return _LATER | {name: int(number) for name, number in zip(*[iter(found)] * 2, strict=True)}


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _call(libc: ctypes.CDLL, number: int, *arguments: object) -> int:
    found = int(libc.syscall(ctypes.c_long(number), *arguments))
    if found < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return found


def landlock_version() -> int:
    """Returns the version of Landlock that this kernel has; 0: none."""
    try:
        return _call(_libc(), _CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(1))
    except OSError:
        return 0


def _see_only(view: dict[str, list[str]]) -> None:
    """Leaves the files of a view. Raises OSError, NotConfined."""
    version, libc = landlock_version(), _libc()
    if not version:
        _mount_only(view)
        return
    rights = _ALL.get(version, 0xFFFF)
    attributes = struct.pack("<QQQ", rights, 3 if version >= 4 else 0, 3 if version >= 6 else 0)
    size = 8 if version < 4 else 16 if version < 6 else 24
    rules = _call(libc, _CREATE, attributes, ctypes.c_size_t(size), ctypes.c_uint32(0))
    for key, allowed in (("read", _READ | _RUN), ("write", _READ | _WRITE)):
        for path in view[key]:
            if not os.path.exists(path):
                continue
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
            here = allowed & rights if os.path.isdir(path) else allowed & rights & _OF_FILES
            rule = struct.pack("<Qi", here, place)
            _call(libc, _ADD, rules, ctypes.c_int(1), rule, ctypes.c_uint32(0))
            os.close(place)
    libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0)
    _call(libc, _RESTRICT, rules, ctypes.c_uint32(0))
    os.close(rules)


def _mount_only(view: dict[str, list[str]]) -> None:
    """Leaves the files of a view, in a root directory of its own that no other process sees: for
    kernels without Landlock. Raises NotConfined."""
    libc, here = _libc(), os.getcwd()
    user, group = os.getuid(), os.getgid()

    def mount(source: str, target: str, kind: str, flags: int) -> None:
        if libc.mount(source.encode(), target.encode(), kind.encode(), flags, None):
            raise NotConfined(f"{target}: {os.strerror(ctypes.get_errno())}")

    if libc.unshare(_NEW_USER | _NEW_MOUNTS | _NEW_NETWORK | _NEW_IPC):
        raise NotConfined(
            "this kernel has no Landlock (5.13), and user namespaces are refused: "
            + os.strerror(ctypes.get_errno())
        )
    for file, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        with open(f"/proc/self/{file}", "w") as target:
            target.write(text)
    mount("", "/", "", _PRIVATE | _RECURSIVE)
    mount("tmpfs", _ROOT, "tmpfs", _NO_SETUID)
    for key in ("read", "write"):
        for path in view[key]:
            inside = _ROOT + path
            os.makedirs(os.path.dirname(inside), exist_ok=True)
            if os.path.islink(path):
                os.symlink(os.readlink(path), inside)
            elif os.path.exists(path):
                os.mkdir(inside) if os.path.isdir(path) else os.close(os.open(inside, os.O_CREAT))
                mount(path, inside, "", _BIND)
                kept = os.statvfs(path).f_flag & _LOCKED
                if key == "read":
                    mount("", inside, "", _BIND | _REMOUNT | _READ_ONLY | kept)
    os.chroot(_ROOT)
    os.chdir(here if os.path.isdir(here) else "/")


def program(machine: str, *, alone: bool) -> bytes:
    """Returns a filter of system calls as the kernel takes it. alone: for a program that only
    computes, reads and writes; else for a compiler, which starts others."""
    known = numbers(machine)
    names = [known[name] for name in (_ALONE if alone else _NEVER) if name in known]
    listed, others = (_ALLOW, _REFUSE) if alone else (_REFUSE, _ALLOW)
    steps = [
        (0x20, 0, 0, 4),
        (0x15, 1, 0, _MACHINES[machine][0]),
        (0x06, 0, 0, _REFUSE),
        (0x20, 0, 0, 0),
        (0x35, 0, 1, _X32),
        (0x06, 0, 0, _REFUSE),
    ]
    for number in names:
        steps += [(0x15, 0, 1, number), (0x06, 0, 0, listed)]
    steps.append((0x06, 0, 0, others))
    return b"".join(struct.pack("<HBBI", *step) for step in steps)


def _call_only(*, alone: bool) -> None:
    """Leaves the system calls of a filter. Raises NotConfined."""
    code = program(platform.machine(), alone=alone)
    kept = ctypes.create_string_buffer(code, len(code))
    given = struct.pack("<HxxxxxxQ", len(code) // 8, ctypes.addressof(kept))
    libc = _libc()
    libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0)
    if libc.prctl(_SECCOMP, _FILTER, given, 0, 0):
        raise NotConfined(f"seccomp: {os.strerror(ctypes.get_errno())}")


def main() -> None:
    """Becomes the program of the command line. Exits with 126 where it cannot be confined."""
    view, words = json.loads(sys.argv[1]), sys.argv[2:]
    try:
        _see_only(view)
        _call_only(alone=not view["starts"])
        os.execv(words[0], words)
    except (NotConfined, OSError) as problem:
        sys.stderr.write(f"not confined: {problem}\n")
        sys.exit(126)


if __name__ == "__main__":
    main()
