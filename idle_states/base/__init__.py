"""The base that every part of the program uses: values, the gate in, the gate out."""
