/* What the readers of a structure block share: its tokens, and the loop over them. Included where
 * struct reader, property(), begin(), end_node() and ended() are known. */
#ifndef IDLE_STATES_STRUCTURE_H
#define IDLE_STATES_STRUCTURE_H

static bool structure(struct reader *r, bool closed)
{
	for (Py_ssize_t tokens = 0; tokens < r->max_tokens; tokens++) {
		if (r->at + 4 > r->end)
			return false;
		switch (word(r->data + r->at)) {
		case PROP:
			if (!property(r))
				return false;
			break;
		case BEGIN_NODE:
			r->at += 4;
			if (!begin(r))
				return false;
			break;
		case END_NODE:
			if (!r->depth || !end_node(r))
				return false;
			break;
		case NOP:
			r->at += 4;
			break;
		case END:
			return ended(r) && (!closed || r->at + 4 == r->end);
		default:
			return false;
		}
	}
	return false;
}

#endif
