"""python -m idle_states"""

import sys

from .cli import main

sys.exit(main())
