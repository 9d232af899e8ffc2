"""diff: two tables, or two machines of Arm or RISC-V, compared by meaning, stage by stage."""
