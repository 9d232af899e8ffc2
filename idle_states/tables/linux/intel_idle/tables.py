"""The figures of intel_idle's tables, by release; written by tools/intel_tables.py.

TREES   the releases whose source was read, oldest first; a span A..B is of these
TABLES  array and spans; below it its rows: name, exit latency/target residency in us, MWAIT hint,
        letters of `known.LETTERS` for its flags
CPUS    name, family/model (hexadecimal), array ("-": none, the states are ACPI's), words of
        `known.SETTINGS` with a value if it is not 1, spans
"""

# ruff: noqa: E501

TREES = """
4.4 4.4.155 4.6.2 4.8.15 4.9 4.10.17 4.11 4.12 4.12.4 4.13.9 4.14.177 4.15 4.20 5.0.1 5.1.15 5.2.1
5.4.18 5.5-rc5 5.6.4 5.8.1 5.9.1 5.10.35 5.10.133 5.11 5.12.9 5.14-rc5 5.15 5.15.57 5.17-rc5 5.19
6.1 6.1.57 6.3.8 6.4.6 6.6 6.7.3 6.8 6.11.11 6.12.117 6.13.2 6.14 6.17 6.18 6.19 7.0 7.1.3 7.2.13
7.3.4 rhel-4.18.0-80 rhel-4.18.0-193 rhel-4.18.0-240 rhel-4.18.0-240.15.1 rhel-4.18.0-305
rhel-4.18.0-348 rhel-4.18.0-372.9.1 rhel-4.18.0-372.32.1 rhel-4.18.0-425.3.1 rhel-4.18.0-477.10.1
rhel-4.18.0-513.5.1 rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1 rhel-5.14.0-162.6.1
rhel-5.14.0-162.23.1 rhel-5.14.0-284.11.1 rhel-5.14.0-362.8.1 rhel-5.14.0-427.13.1
rhel-5.14.0-503.11.1 rhel-5.14.0-503.29.1 rhel-5.14.0-503.35.1 rhel-5.14.0-570.12.1 ubuntu-5.15.0-46
ubuntu-5.15.0-69 ubuntu-5.15.0-72 ubuntu-6.8.0-48 ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
"""

TABLES = """
nehalem_cstates 4.4..4.10.17
  C1-NHM 3/6 00; C1E-NHM 10/20 01; C3-NHM 20/80 10 T; C6-NHM 200/800 20 T
snb_cstates 4.4..4.10.17
  C1-SNB 2/2 00; C1E-SNB 10/20 01; C3-SNB 80/211 10 T; C6-SNB 104/345 20 T; C7-SNB 109/345 30 T
byt_cstates 4.4..4.10.17
  C1-BYT 1/1 00; C6N-BYT 300/275 58 T; C6S-BYT 500/560 52 T; C7-BYT 1200/4000 60 T;
  C7S-BYT 10000/20000 64 T
cht_cstates 4.4..4.10.17
  C1-CHT 1/1 00; C6N-CHT 80/275 58 T; C6S-CHT 200/560 52 T; C7-CHT 1200/4000 60 T;
  C7S-CHT 10000/20000 64 T
ivb_cstates 4.4..4.10.17
  C1-IVB 1/1 00; C1E-IVB 10/20 01; C3-IVB 59/156 10 T; C6-IVB 80/300 20 T; C7-IVB 87/300 30 T
ivt_cstates 4.4..4.10.17
  C1-IVT 1/1 00; C1E-IVT 10/80 01; C3-IVT 59/156 10 T; C6-IVT 82/300 20 T
ivt_cstates_4s 4.4..4.10.17
  C1-IVT-4S 1/1 00; C1E-IVT-4S 10/250 01; C3-IVT-4S 59/300 10 T; C6-IVT-4S 84/400 20 T
ivt_cstates_8s 4.4..4.10.17
  C1-IVT-8S 1/1 00; C1E-IVT-8S 10/500 01; C3-IVT-8S 59/600 10 T; C6-IVT-8S 88/700 20 T
hsw_cstates 4.4..4.10.17
  C1-HSW 2/2 00; C1E-HSW 10/20 01; C3-HSW 33/100 10 T; C6-HSW 133/400 20 T;
  C7s-HSW 166/500 32 T; C8-HSW 300/900 40 T; C9-HSW 600/1800 50 T; C10-HSW 2600/7700 60 T
bdw_cstates 4.4..4.10.17
  C1-BDW 2/2 00; C1E-BDW 10/20 01; C3-BDW 40/100 10 T; C6-BDW 133/400 20 T;
  C7s-BDW 166/500 32 T; C8-BDW 300/900 40 T; C9-BDW 600/1800 50 T; C10-BDW 2600/7700 60 T
skl_cstates 4.4..4.10.17
  C1-SKL 2/2 00; C1E-SKL 10/20 01; C3-SKL 70/100 10 T; C6-SKL 85/200 20 T; C7s-SKL 124/800 33 T;
  C8-SKL 200/800 40 T; C9-SKL 480/5000 50 T; C10-SKL 890/5000 60 T
atom_cstates 4.4..4.10.17
  C1E-ATM 10/20 00; C2-ATM 20/80 10; C4-ATM 100/400 30 T; C6-ATM 140/560 52 T
avn_cstates 4.4..4.10.17
  C1-AVN 2/2 00; C6-AVN 15/45 51 T
knl_cstates 4.4.155..4.10.17
  C1-KNL 1/2 00; C6-KNL 120/500 10 T
skx_cstates 4.6.2..4.10.17
  C1-SKX 2/2 00; C1E-SKX 10/20 01; C6-SKX 133/600 20 T
bxt_cstates 4.8.15..4.10.17
  C1-BXT 2/2 00; C1E-BXT 10/20 01; C6-BXT 133/133 20 T; C7s-BXT 155/155 31 T;
  C8-BXT 1000/1000 40 T; C9-BXT 2000/2000 50 T; C10-BXT 10000/10000 60 T
dnv_cstates 4.8.15..4.10.17
  C1-DNV 2/2 00; C1E-DNV 10/20 01; C6-DNV 50/500 20 T
tangier_cstates 4.10.17
  C1-TNG 1/4 00; C4-TNG 100/400 30 T; C6-TNG 140/560 52 T; C7-TNG 1200/4000 60 T;
  C9-TNG 10000/20000 64 T
nehalem_cstates 4.11..5.5-rc5 rhel-4.18.0-80..rhel-4.18.0-193
  C1 3/6 00; C1E 10/20 01; C3 20/80 10 T; C6 200/800 20 T
snb_cstates 4.11..5.5-rc5 rhel-4.18.0-80..rhel-4.18.0-193
  C1 2/2 00; C1E 10/20 01; C3 80/211 10 T; C6 104/345 20 T; C7 109/345 30 T
byt_cstates 4.11..7.3.4 rhel-4.18.0-80..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
  C1 1/1 00; C6N 300/275 58 T; C6S 500/560 52 T; C7 1200/4000 60 T; C7S 10000/20000 64 T
cht_cstates 4.11..7.3.4 rhel-4.18.0-80..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
  C1 1/1 00; C6N 80/275 58 T; C6S 200/560 52 T; C7 1200/4000 60 T; C7S 10000/20000 64 T
ivb_cstates 4.11..5.5-rc5 rhel-4.18.0-80..rhel-4.18.0-193
  C1 1/1 00; C1E 10/20 01; C3 59/156 10 T; C6 80/300 20 T; C7 87/300 30 T
ivt_cstates 4.11..5.5-rc5 rhel-4.18.0-80..rhel-4.18.0-193
  C1 1/1 00; C1E 10/80 01; C3 59/156 10 T; C6 82/300 20 T
ivt_cstates_4s 4.11..5.5-rc5 rhel-4.18.0-80..rhel-4.18.0-193
  C1 1/1 00; C1E 10/250 01; C3 59/300 10 T; C6 84/400 20 T
ivt_cstates_8s 4.11..5.5-rc5 rhel-4.18.0-80..rhel-4.18.0-193
  C1 1/1 00; C1E 10/500 01; C3 59/600 10 T; C6 88/700 20 T
hsw_cstates 4.11..5.5-rc5 rhel-4.18.0-80..rhel-4.18.0-193
  C1 2/2 00; C1E 10/20 01; C3 33/100 10 T; C6 133/400 20 T; C7s 166/500 32 T; C8 300/900 40 T;
  C9 600/1800 50 T; C10 2600/7700 60 T
bdw_cstates 4.11..5.5-rc5 rhel-4.18.0-80..rhel-4.18.0-193
  C1 2/2 00; C1E 10/20 01; C3 40/100 10 T; C6 133/400 20 T; C7s 166/500 32 T; C8 300/900 40 T;
  C9 600/1800 50 T; C10 2600/7700 60 T
skl_cstates 4.11..5.5-rc5 rhel-4.18.0-80..rhel-4.18.0-193
  C1 2/2 00; C1E 10/20 01; C3 70/100 10 T; C6 85/200 20 T; C7s 124/800 33 T; C8 200/800 40 T;
  C9 480/5000 50 T; C10 890/5000 60 T
skx_cstates 4.11..5.5-rc5 rhel-4.18.0-80..rhel-4.18.0-193
  C1 2/2 00; C1E 10/20 01; C6 133/600 20 T
atom_cstates 4.11..7.3.4 rhel-4.18.0-80..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
  C1E 10/20 00; C2 20/80 10; C4 100/400 30 T; C6 140/560 52 T
tangier_cstates 4.11..7.3.4 rhel-4.18.0-80..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
  C1 1/4 00; C4 100/400 30 T; C6 140/560 52 T; C7 1200/4000 60 T; C9 10000/20000 64 T
avn_cstates 4.11..7.3.4 rhel-4.18.0-80..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
  C1 2/2 00; C6 15/45 51 T
knl_cstates 4.11..7.3.4 rhel-4.18.0-80..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
  C1 1/2 00; C6 120/500 10 T
bxt_cstates 4.11..5.5-rc5 rhel-4.18.0-80..rhel-4.18.0-193
  C1 2/2 00; C1E 10/20 01; C6 133/133 20 T; C7s 155/155 31 T; C8 1000/1000 40 T;
  C9 2000/2000 50 T; C10 10000/10000 60 T
dnv_cstates 4.11..5.5-rc5 rhel-4.18.0-80..rhel-4.18.0-193
  C1 2/2 00; C1E 10/20 01; C6 50/500 20 T
nehalem_cstates 5.6.4..7.3.4 rhel-4.18.0-240..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
  C1 3/6 00; C1E 10/20 01 A; C3 20/80 10 T; C6 200/800 20 T
snb_cstates 5.6.4..7.3.4 rhel-4.18.0-240..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
  C1 2/2 00; C1E 10/20 01 A; C3 80/211 10 T; C6 104/345 20 T; C7 109/345 30 T
ivb_cstates 5.6.4..7.3.4 rhel-4.18.0-240..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
  C1 1/1 00; C1E 10/20 01 A; C3 59/156 10 T; C6 80/300 20 T; C7 87/300 30 T
ivt_cstates 5.6.4..7.3.4 rhel-4.18.0-240..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
  C1 1/1 00; C1E 10/80 01 A; C3 59/156 10 T; C6 82/300 20 T
ivt_cstates_4s 5.6.4..7.3.4 rhel-4.18.0-240..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
  C1 1/1 00; C1E 10/250 01 A; C3 59/300 10 T; C6 84/400 20 T
ivt_cstates_8s 5.6.4..7.3.4 rhel-4.18.0-240..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
  C1 1/1 00; C1E 10/500 01 A; C3 59/600 10 T; C6 88/700 20 T
hsw_cstates 5.6.4..7.3.4 rhel-4.18.0-240..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
  C1 2/2 00; C1E 10/20 01 A; C3 33/100 10 T; C6 133/400 20 T; C7s 166/500 32 T; C8 300/900 40 T;
  C9 600/1800 50 T; C10 2600/7700 60 T
bdw_cstates 5.6.4..7.3.4 rhel-4.18.0-240..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
  C1 2/2 00; C1E 10/20 01 A; C3 40/100 10 T; C6 133/400 20 T; C7s 166/500 32 T; C8 300/900 40 T;
  C9 600/1800 50 T; C10 2600/7700 60 T
skl_cstates 5.6.4..5.10.35 5.11..5.15 5.17-rc5 rhel-4.18.0-240..rhel-4.18.0-372.9.1 rhel-5.14.0-70.13.1
  C1 2/2 00; C1E 10/20 01 A; C3 70/100 10 T; C6 85/200 20 T; C7s 124/800 33 T; C8 200/800 40 T;
  C9 480/5000 50 T; C10 890/5000 60 T
skx_cstates 5.6.4..5.10.35 5.11..5.15 rhel-4.18.0-240..rhel-4.18.0-372.9.1 rhel-5.14.0-70.13.1
  C1 2/2 00; C1E 10/20 01 A; C6 133/600 20 T
bxt_cstates 5.6.4..7.3.4 rhel-4.18.0-240..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
  C1 2/2 00; C1E 10/20 01 A; C6 133/133 20 T; C7s 155/155 31 T; C8 1000/1000 40 T;
  C9 2000/2000 50 T; C10 10000/10000 60 T
dnv_cstates 5.6.4..7.3.4 rhel-4.18.0-240..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
  C1 2/2 00; C1E 10/20 01 A; C6 50/500 20 T
icx_cstates 5.9.1..5.12.9 rhel-4.18.0-240.15.1..rhel-4.18.0-348
  C1 1/1 00; C1E 4/4 01 A; C6 128/384 20 T
skl_cstates 5.10.133 5.15.57 5.19..7.3.4 rhel-4.18.0-372.32.1..rhel-4.18.0-553.16.1 rhel-5.14.0-162.6.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
  C1 2/2 00; C1E 10/20 01 A; C3 70/100 10 T; C6 85/200 20 BT; C7s 124/800 33 BT;
  C8 200/800 40 BT; C9 480/5000 50 BT; C10 890/5000 60 BT
skx_cstates 5.10.133 5.15.57 ubuntu-5.15.0-46..ubuntu-5.15.0-72
  C1 2/2 00; C1E 10/20 01 A; C6 133/600 20 BT
snr_cstates 5.11..7.3.4 rhel-4.18.0-305..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
  C1 2/2 00; C1E 15/25 01 A; C6 130/500 20 T
icx_cstates 5.14-rc5..5.15.57 rhel-4.18.0-372.9.1 rhel-5.14.0-70.13.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72
  C1 1/1 00; C1E 4/4 01 A; C6 170/600 20 T
skx_cstates 5.17-rc5
  C1 2/2 00 I; C1E 10/20 01 A; C6 133/600 20 T
icx_cstates 5.17-rc5..7.3.4 rhel-4.18.0-372.32.1..rhel-4.18.0-553.16.1 rhel-5.14.0-162.6.1..rhel-5.14.0-570.12.1 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
  C1 1/1 00 I; C1E 4/4 01 A; C6 170/600 20 T
skx_cstates 5.19..7.3.4 rhel-4.18.0-372.32.1..rhel-4.18.0-553.16.1 rhel-5.14.0-162.6.1..rhel-5.14.0-570.12.1 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
  C1 2/2 00 I; C1E 10/20 01 A; C6 133/600 20 BT
adl_cstates 5.19..7.3.4 rhel-4.18.0-425.3.1..rhel-4.18.0-553.16.1 rhel-5.14.0-162.6.1..rhel-5.14.0-570.12.1 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
  C1 1/1 00 U; C1E 2/4 01 A; C6 220/600 20 T; C8 280/800 40 T; C10 680/2000 60 T
adl_l_cstates 5.19..7.3.4 rhel-4.18.0-425.3.1..rhel-4.18.0-553.16.1 rhel-5.14.0-162.6.1..rhel-5.14.0-570.12.1 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
  C1 1/1 00 U; C1E 2/4 01 A; C6 170/500 20 T; C8 200/600 40 T; C10 230/700 60 T
spr_cstates 5.19 rhel-4.18.0-425.3.1 rhel-5.14.0-162.6.1
  C1 1/1 00; C1E 2/4 01 AU; C6 290/800 20 T
adl_n_cstates 6.1..6.4.6 rhel-4.18.0-477.10.1..rhel-4.18.0-513.5.1 rhel-5.14.0-284.11.1..rhel-5.14.0-362.8.1
  C1 1/1 00 U; C1E 2/4 01 A; C6 195/585 20 T; C8 260/1040 40 T; C10 660/1980 60 T
spr_cstates 6.1..7.3.4 rhel-4.18.0-477.10.1..rhel-4.18.0-553.16.1 rhel-5.14.0-162.23.1..rhel-5.14.0-570.12.1 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
  C1 1/1 00; C1E 2/4 01 A; C6 290/800 20 TX
gmt_cstates 6.6..7.3.4 rhel-4.18.0-553.16.1 rhel-5.14.0-427.13.1..rhel-5.14.0-570.12.1 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
  C1 1/1 00 U; C1E 2/4 01 A; C6 195/585 20 T; C8 260/1040 40 T; C10 660/1980 60 T
mtl_l_cstates 6.8..7.3.4 rhel-5.14.0-503.11.1..rhel-5.14.0-570.12.1 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
  C1E 1/1 01 A; C6 140/420 20 T; C10 310/930 60 T
grr_cstates 6.8..7.3.4 rhel-5.14.0-427.13.1..rhel-5.14.0-570.12.1 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
  C1 1/1 00 A; C1E 2/10 01 A; C6S 140/500 22 T
srf_cstates 6.8 rhel-5.14.0-427.13.1..rhel-5.14.0-503.29.1 ubuntu-6.8.0-48
  C1 1/1 00 A; C1E 2/10 01 A; C6S 270/700 22 T; C6SP 310/900 23 T
gnr_cstates 6.11.11..7.3.4 rhel-5.14.0-503.35.1..rhel-5.14.0-570.12.1 ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
  C1 1/1 00; C1E 4/4 01 A; C6 170/650 20 PTX; C6P 210/1000 21 PTX
srf_cstates 6.11.11..7.3.4 rhel-5.14.0-503.35.1..rhel-5.14.0-570.12.1 ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
  C1 1/1 00 A; C1E 2/10 01 A; C6S 270/700 22 PT; C6SP 310/900 23 PT
gnrd_cstates 6.13.2..7.3.4 rhel-5.14.0-570.12.1 ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
  C1 1/1 00; C1E 4/4 01 A; C6 220/650 20 PTX; C6P 240/750 21 PTX
ptl_cstates 7.1.3..7.3.4
  C1 1/1 00; C1E 10/10 01 A; C6S 300/300 21 T; C10 370/2500 60 T
gnr_cstates rhel-5.14.0-503.29.1
  C1 1/1 00; C1E 4/4 01 A; C6 170/650 20 TX; C6P 210/1000 21 TX
spr_cstates ubuntu-5.15.0-69..ubuntu-5.15.0-72
  C1 1/1 00; C1E 2/4 01 A; C6 290/800 20 T
"""

CPUS = """
NEHALEM_EP 6/1a nehalem_cstates demotion=6000000,c1e 4.4..5.5-rc5 rhel-4.18.0-80..rhel-4.18.0-193
NEHALEM_EP 6/1a nehalem_cstates demotion=6000000,c1e,acpi 5.6.4..7.3.4 rhel-4.18.0-240..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
ATOM_BONNELL 6/1c atom_cstates - 4.4..7.3.4 rhel-4.18.0-80..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
NEHALEM 6/1e nehalem_cstates demotion=6000000,c1e 4.4..7.3.4 rhel-4.18.0-80..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
NEHALEM_G 6/1f nehalem_cstates demotion=6000000,c1e 4.4..7.3.4 rhel-4.18.0-80..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
WESTMERE 6/25 nehalem_cstates demotion=6000000,c1e 4.4..7.3.4 rhel-4.18.0-80..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
ATOM_BONNELL_MID 6/26 atom_cstates demotion=2000000 4.4..7.3.4 rhel-4.18.0-80..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
SANDYBRIDGE 6/2a snb_cstates c1e 4.4..7.3.4 rhel-4.18.0-80..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
WESTMERE_EP 6/2c nehalem_cstates demotion=6000000,c1e 4.4..5.5-rc5 rhel-4.18.0-80..rhel-4.18.0-193
WESTMERE_EP 6/2c nehalem_cstates demotion=6000000,c1e,acpi 5.6.4..7.3.4 rhel-4.18.0-240..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
SANDYBRIDGE_X 6/2d snb_cstates c1e 4.4..5.5-rc5 rhel-4.18.0-80..rhel-4.18.0-193
SANDYBRIDGE_X 6/2d snb_cstates c1e,acpi 5.6.4..7.3.4 rhel-4.18.0-240..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
NEHALEM_EX 6/2e nehalem_cstates demotion=6000000,c1e 4.4..5.5-rc5 rhel-4.18.0-80..rhel-4.18.0-193
NEHALEM_EX 6/2e nehalem_cstates demotion=6000000,c1e,acpi 5.6.4..7.3.4 rhel-4.18.0-240..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
WESTMERE_EX 6/2f nehalem_cstates demotion=6000000,c1e 4.4..5.5-rc5 rhel-4.18.0-80..rhel-4.18.0-193
WESTMERE_EX 6/2f nehalem_cstates demotion=6000000,c1e,acpi 5.6.4..7.3.4 rhel-4.18.0-240..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
ATOM_SALTWELL 6/36 atom_cstates - 4.4..7.3.4 rhel-4.18.0-80..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
ATOM_SILVERMONT 6/37 byt_cstates c1e 6.17..7.3.4
ATOM_SILVERMONT 6/37 byt_cstates c1e,byt 4.4..6.14 rhel-4.18.0-80..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
IVYBRIDGE 6/3a ivb_cstates c1e 4.4..7.3.4 rhel-4.18.0-80..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
HASWELL 6/3c hsw_cstates c1e 4.4..7.3.4 rhel-4.18.0-80..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
BROADWELL 6/3d bdw_cstates c1e 4.4..7.3.4 rhel-4.18.0-80..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
IVYBRIDGE_X 6/3e ivt_cstates c1e 4.4..5.5-rc5 rhel-4.18.0-80..rhel-4.18.0-193
IVYBRIDGE_X 6/3e ivt_cstates c1e,acpi 5.6.4..7.3.4 rhel-4.18.0-240..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
HASWELL_X 6/3f hsw_cstates c1e 4.4..5.5-rc5 rhel-4.18.0-80..rhel-4.18.0-193
HASWELL_X 6/3f hsw_cstates c1e,acpi 5.6.4..7.3.4 rhel-4.18.0-240..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
HASWELL_L 6/45 hsw_cstates c1e 4.4..7.3.4 rhel-4.18.0-80..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
HASWELL_G 6/46 hsw_cstates c1e 4.4..7.3.4 rhel-4.18.0-80..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
BROADWELL_G 6/47 bdw_cstates c1e 4.4..7.3.4 rhel-4.18.0-80..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
ATOM_SILVERMONT_MID 6/4a tangier_cstates - 4.10.17..7.3.4 rhel-4.18.0-80..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
ATOM_AIRMONT 6/4c cht_cstates c1e 6.17..7.3.4
ATOM_AIRMONT 6/4c cht_cstates c1e,byt 4.4..6.14 rhel-4.18.0-80..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
ATOM_SILVERMONT_D 6/4d avn_cstates c1e 4.4..5.5-rc5 rhel-4.18.0-80..rhel-4.18.0-193
ATOM_SILVERMONT_D 6/4d avn_cstates c1e,acpi 5.6.4..7.3.4 rhel-4.18.0-240..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
SKYLAKE_L 6/4e skl_cstates c1e 4.4..7.3.4 rhel-4.18.0-80..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
BROADWELL_X 6/4f bdw_cstates c1e 4.4..5.5-rc5 rhel-4.18.0-80..rhel-4.18.0-193
BROADWELL_X 6/4f bdw_cstates c1e,acpi 5.6.4..7.3.4 rhel-4.18.0-240..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
SKYLAKE_X 6/55 skx_cstates c1e 4.6.2..5.5-rc5 rhel-4.18.0-80..rhel-4.18.0-193
SKYLAKE_X 6/55 skx_cstates c1e,acpi 5.6.4..7.3.4 rhel-4.18.0-240..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
BROADWELL_D 6/56 bdw_cstates c1e 4.4..5.5-rc5 rhel-4.18.0-80..rhel-4.18.0-193
BROADWELL_D 6/56 bdw_cstates c1e,acpi 5.6.4..7.3.4 rhel-4.18.0-240..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
XEON_PHI_KNL 6/57 knl_cstates - 4.4.155..5.5-rc5 rhel-4.18.0-80..rhel-4.18.0-193
XEON_PHI_KNL 6/57 knl_cstates acpi 5.6.4..7.3.4 rhel-4.18.0-240..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
ATOM_GOLDMONT 6/5c bxt_cstates c1e 4.8.15..7.3.4 rhel-4.18.0-80..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
SKYLAKE 6/5e skl_cstates c1e 4.4..7.3.4 rhel-4.18.0-80..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
ATOM_GOLDMONT_D 6/5f dnv_cstates c1e 4.8.15..5.5-rc5 rhel-4.18.0-80..rhel-4.18.0-193
ATOM_GOLDMONT_D 6/5f dnv_cstates c1e,acpi 5.6.4..7.3.4 rhel-4.18.0-240..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
ICELAKE_X 6/6a icx_cstates c1e,acpi 5.9.1..7.3.4 rhel-4.18.0-240.15.1..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
ICELAKE_D 6/6c icx_cstates c1e,acpi 5.14-rc5..7.3.4 rhel-4.18.0-348..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
ATOM_GOLDMONT_PLUS 6/7a bxt_cstates c1e 4.12..7.3.4 rhel-4.18.0-80..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
XEON_PHI_KNM 6/85 knl_cstates - 4.10.17..5.5-rc5 rhel-4.18.0-80..rhel-4.18.0-193
XEON_PHI_KNM 6/85 knl_cstates acpi 5.6.4..7.3.4 rhel-4.18.0-240..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
ATOM_TREMONT_D 6/86 dnv_cstates c1e 5.1.15..5.5-rc5 rhel-4.18.0-193
ATOM_TREMONT_D 6/86 dnv_cstates c1e,acpi 5.6.4..5.10.133 rhel-4.18.0-240..rhel-4.18.0-240.15.1
ATOM_TREMONT_D 6/86 snr_cstates c1e,acpi 5.11..7.3.4 rhel-4.18.0-305..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
KABYLAKE_L 6/8e skl_cstates c1e 4.6.2..7.3.4 rhel-4.18.0-80..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
SAPPHIRERAPIDS_X 6/8f spr_cstates c1e,acpi 5.19..6.14 rhel-4.18.0-425.3.1..rhel-4.18.0-553.16.1 rhel-5.14.0-162.6.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-69..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
SAPPHIRERAPIDS_X 6/8f spr_cstates c1e,c1,acpi 6.17..7.3.4
ATOM_TREMONT 6/96 - c1e 6.11.11..7.3.4 rhel-5.14.0-503.29.1..rhel-5.14.0-570.12.1 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
ALDERLAKE 6/97 adl_cstates - 5.19..7.3.4 rhel-4.18.0-425.3.1..rhel-4.18.0-553.16.1 rhel-5.14.0-162.6.1..rhel-5.14.0-570.12.1 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
ALDERLAKE_L 6/9a adl_l_cstates - 5.19..7.3.4 rhel-4.18.0-425.3.1..rhel-4.18.0-553.16.1 rhel-5.14.0-162.6.1..rhel-5.14.0-570.12.1 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
ATOM_TREMONT_L 6/9c - c1e 6.11.11..7.3.4 rhel-5.14.0-503.29.1..rhel-5.14.0-570.12.1 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
KABYLAKE 6/9e skl_cstates c1e 4.6.2..7.3.4 rhel-4.18.0-80..rhel-4.18.0-553.16.1 rhel-5.14.0-70.13.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-46..ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
METEORLAKE_L 6/aa mtl_l_cstates - 6.8..7.3.4 rhel-5.14.0-503.11.1..rhel-5.14.0-570.12.1 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
GRANITERAPIDS_X 6/ad gnr_cstates c1e,acpi 6.11.11..6.14 rhel-5.14.0-503.29.1..rhel-5.14.0-570.12.1 ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
GRANITERAPIDS_X 6/ad gnr_cstates c1e,c1,acpi 6.17..7.3.4
GRANITERAPIDS_D 6/ae gnrd_cstates c1e,acpi 6.13.2..6.14 rhel-5.14.0-570.12.1 ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
GRANITERAPIDS_D 6/ae gnrd_cstates c1e,c1,acpi 6.17..7.3.4
ATOM_CRESTMONT_X 6/af srf_cstates c1e,acpi 6.8..6.14 rhel-5.14.0-427.13.1..rhel-5.14.0-570.12.1 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
ATOM_CRESTMONT_X 6/af srf_cstates c1e,c1,acpi 6.17..7.3.4
ATOM_CRESTMONT 6/b6 grr_cstates c1e,acpi 6.8..6.14 rhel-5.14.0-427.13.1..rhel-5.14.0-570.12.1 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
ATOM_CRESTMONT 6/b6 grr_cstates c1e,c1,acpi 6.17..7.3.4
ATOM_GRACEMONT 6/be adl_n_cstates - 6.1..6.4.6 rhel-4.18.0-477.10.1..rhel-4.18.0-513.5.1 rhel-5.14.0-284.11.1..rhel-5.14.0-362.8.1
ATOM_GRACEMONT 6/be gmt_cstates - 6.6..7.3.4 rhel-4.18.0-553.16.1 rhel-5.14.0-427.13.1..rhel-5.14.0-570.12.1 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
PANTHERLAKE_L 6/cc ptl_cstates - 7.1.3..7.3.4
EMERALDRAPIDS_X 6/cf spr_cstates c1e,acpi 6.1.57..6.14 rhel-4.18.0-513.5.1..rhel-4.18.0-553.16.1 rhel-5.14.0-362.8.1..rhel-5.14.0-570.12.1 ubuntu-5.15.0-72 ubuntu-6.8.0-48..ubuntu-6.8.0-60 rhel-6.12.0-55.9.1
EMERALDRAPIDS_X 6/cf spr_cstates c1e,c1,acpi 6.17..7.3.4
ATOM_DARKMONT_X 6/dd srf_cstates c1e,acpi 6.14
ATOM_DARKMONT_X 6/dd srf_cstates c1e,c1,acpi 6.17..7.3.4
"""
