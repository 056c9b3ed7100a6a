// SPDX-License-Identifier: Apache-2.0
// A tree of values out of a Python pickle. The opcodes are those of Python's
// pickletools; only the ones that make plain values exist here.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/explain/value.h"
#include "probes/trial/grow.h"

#define STACK_MAX (1u << 24)
#define MEMO_MAX (1u << 24)
#define MARKS_MAX 256

struct machine {
	struct values *values;
	const unsigned char *data;
	size_t len, at;
	struct value *stack;
	size_t n, room;
	struct value *memo; /* VALUE_UNSET: nothing is remembered there */
	size_t n_memo, memo_room;
	size_t marks[MARKS_MAX];
	unsigned n_marks;
	struct fp_err *err;
};

/* What an opcode does; the byte itself is taken. false: err says why. */
typedef bool op_fn(struct machine *m, unsigned char op);

static bool fail(struct machine *m, enum fp_status status, const char *why)
{
	fp_err_set(m->err, status, "pickle, byte %zu: %s", m->at, why);
	return false;
}

static const unsigned char *take(struct machine *m, size_t n)
{
	const unsigned char *p = m->data + m->at;

	if (n > m->len - m->at) {
		fail(m, FP_ERR_INPUT, "ends in the middle");
		return NULL;
	}
	m->at += n;
	return p;
}

/* A little-endian number of @n bytes, 1 to 8. */
static bool take_number(struct machine *m, unsigned n, uint64_t *ret)
{
	const unsigned char *p = take(m, n);

	if (!p)
		return false;
	*ret = p[0];
	for (unsigned i = 1; i < n; i++)
		*ret |= (uint64_t)p[i] << 8 * i;
	return true;
}

static bool grow_stack(struct machine *m)
{
	if (m->n < STACK_MAX && grow_room(&m->stack, &m->room, m->n + 1,
	                                  sizeof(*m->stack), m->err) == FP_OK)
		return true;
	return fail(m, FP_ERR_LIMIT, "its stack is too deep");
}

static bool push(struct machine *m, struct value value)
{
	if (m->n == m->room && !grow_stack(m))
		return false;
	m->stack[m->n++] = value;
	return true;
}

static bool push_int(struct machine *m, unsigned type, int64_t i)
{
	return push(m, (struct value){ .type = type, .i = i });
}

static bool push_text(struct machine *m, uint64_t len)
{
	const unsigned char *p;

	if (len > UINT32_MAX || len > m->len)
		return fail(m, FP_ERR_INPUT, "a text that is longer than it");
	p = take(m, len);
	return p && push(m, (struct value){ .type = VALUE_TEXT,
	                                    .len = (uint32_t)len,
	                                    .text = (const char *)p });
}

static bool push_list(struct machine *m, unsigned type)
{
	struct value list;

	if (!values_list(m->values, type, &list))
		return fail(m, FP_ERR_LIMIT, "too large");
	return push(m, list);
}

static bool op_number(struct machine *m, unsigned char op)
{
	unsigned n = op == 'J' ? 4 : op == 'K' ? 1 : 2;
	uint64_t v;

	if (!take_number(m, n, &v))
		return false;
	return push_int(m, VALUE_INT, op == 'J' ? (int32_t)v : (int64_t)v);
}

/* LONG1: two's complement in as many bytes as are said. */
static bool op_long(struct machine *m, unsigned char op)
{
	uint64_t n, v;

	(void)op;
	if (!take_number(m, 1, &n))
		return false;
	if (n > 8)
		return fail(m, FP_ERR_INPUT, "an integer beyond 64 bits");
	if (!n)
		return push_int(m, VALUE_INT, 0);
	if (!take_number(m, (unsigned)n, &v))
		return false;
	if (n < 8 && v >> (8 * n - 1) & 1)
		v |= ~UINT64_C(0) << 8 * n;
	return push_int(m, VALUE_INT, (int64_t)v);
}

static bool op_real(struct machine *m, unsigned char op)
{
	const unsigned char *p = take(m, 8);
	struct value value = { .type = VALUE_REAL };
	uint64_t bits = 0;

	(void)op;
	if (!p)
		return false;
	for (int i = 0; i < 8; i++)
		bits = bits << 8 | p[i];
	memcpy(&value.r, &bits, sizeof(bits));
	return push(m, value);
}

static bool op_text(struct machine *m, unsigned char op)
{
	unsigned n = op == 'X' || op == 'T' || op == 'B' ? 4
	             : op == 0x8d || op == 0x8e          ? 8
	                                                 : 1;
	uint64_t len;

	return take_number(m, n, &len) && push_text(m, len);
}

static bool op_constant(struct machine *m, unsigned char op)
{
	if (op == 'N')
		return push_int(m, VALUE_NONE, 0);
	return push_int(m, VALUE_BOOL, op == 0x88);
}

static bool op_empty(struct machine *m, unsigned char op)
{
	return push_list(m, op == '}' ? VALUE_DICT : VALUE_LIST);
}

static bool op_mark(struct machine *m, unsigned char op)
{
	(void)op;
	if (m->n_marks >= MARKS_MAX)
		return fail(m, FP_ERR_LIMIT, "nested too deeply");
	m->marks[m->n_marks++] = m->n;
	return true;
}

/* Move what is on the stack from @from on into @list. */
static bool move_into(struct machine *m, const struct value *list, size_t from)
{
	if (from < m->n &&
	    !values_append(m->values, list, m->stack + from, m->n - from))
		return fail(m, FP_ERR_LIMIT, "too large");
	m->n = from;
	return true;
}

static bool pop_mark(struct machine *m, size_t *ret)
{
	if (!m->n_marks)
		return fail(m, FP_ERR_INPUT, "a list without a beginning");
	*ret = m->marks[--m->n_marks];
	return *ret <= m->n ||
	       fail(m, FP_ERR_INPUT, "a list that begins in another");
}

/* APPEND, APPENDS, SETITEM, SETITEMS, ADDITEMS. */
static bool op_fill(struct machine *m, unsigned char op)
{
	bool pairs = op == 's' || op == 'u';
	size_t from, n;

	if (op == 'a' || op == 's')
		from = m->n - (pairs ? 2u : 1u);
	else if (!pop_mark(m, &from))
		return false;
	if (m->n < (pairs ? 3u : 2u) && (op == 'a' || op == 's'))
		return fail(m, FP_ERR_INPUT, "an item without a list");
	n = m->n - from;
	if (!from || from > m->n ||
	    m->stack[from - 1].type != (pairs ? VALUE_DICT : VALUE_LIST) ||
	    (pairs && n % 2))
		return fail(m, FP_ERR_INPUT, "an item without its list");
	return move_into(m, &m->stack[from - 1], from);
}

static bool op_tuple(struct machine *m, unsigned char op)
{
	struct value tuple;
	size_t from = m->n;

	if (op == 't' || op == 'l' || op == 0x91) {
		if (!pop_mark(m, &from))
			return false;
	} else {
		size_t n = (size_t)op - 0x84;

		if (m->n < n)
			return fail(m, FP_ERR_INPUT, "a tuple too large");
		from = m->n - n;
	}
	if (!values_list(m->values, VALUE_LIST, &tuple))
		return fail(m, FP_ERR_LIMIT, "too large");
	return move_into(m, &tuple, from) && push(m, tuple);
}

static bool remember(struct machine *m, uint64_t slot)
{
	size_t was = m->n_memo;

	if (!m->n)
		return fail(m, FP_ERR_INPUT, "nothing to remember");
	if (slot >= MEMO_MAX || (slot >= m->memo_room &&
	                         grow_room(&m->memo, &m->memo_room, slot + 1,
	                                   sizeof(*m->memo), m->err)))
		return fail(m, FP_ERR_LIMIT, "it remembers too much");
	if (slot >= was) {
		memset(m->memo + was, 0, (slot - was) * sizeof(*m->memo));
		m->n_memo = slot + 1;
	}
	m->memo[slot] = m->stack[m->n - 1];
	return true;
}

static bool op_put(struct machine *m, unsigned char op)
{
	uint64_t slot = m->n_memo;

	if (op != 0x94 && !take_number(m, op == 'q' ? 1 : 4, &slot))
		return false;
	return remember(m, slot);
}

static bool op_get(struct machine *m, unsigned char op)
{
	uint64_t slot;

	if (!take_number(m, op == 'h' ? 1 : 4, &slot))
		return false;
	if (slot >= m->n_memo || m->memo[slot].type == VALUE_UNSET)
		return fail(m, FP_ERR_INPUT, "nothing was remembered there");
	return push(m, m->memo[slot]);
}

static bool op_proto(struct machine *m, unsigned char op)
{
	const unsigned char *p = take(m, 1);

	(void)op;
	return p && (*p <= 5 || fail(m, FP_ERR_INPUT, "a newer protocol"));
}

static bool op_frame(struct machine *m, unsigned char op)
{
	(void)op;
	return take(m, 8) != NULL;
}

static bool op_pop(struct machine *m, unsigned char op)
{
	(void)op;
	if (!m->n)
		return fail(m, FP_ERR_INPUT, "nothing to drop");
	m->n--;
	return true;
}

static op_fn *const ops[256] = {
	[0x80] = op_proto,   [0x95] = op_frame,    ['J'] = op_number,
	['K'] = op_number,   ['M'] = op_number,    [0x8a] = op_long,
	['G'] = op_real,     ['X'] = op_text,      [0x8c] = op_text,
	[0x8d] = op_text,    ['U'] = op_text,      ['T'] = op_text,
	['B'] = op_text,     ['C'] = op_text,      [0x8e] = op_text,
	['N'] = op_constant, [0x88] = op_constant, [0x89] = op_constant,
	['}'] = op_empty,    [']'] = op_empty,     [')'] = op_empty,
	[0x8f] = op_empty,   ['('] = op_mark,      ['a'] = op_fill,
	['e'] = op_fill,     ['s'] = op_fill,      ['u'] = op_fill,
	[0x90] = op_fill,    ['t'] = op_tuple,     ['l'] = op_tuple,
	[0x85] = op_tuple,   [0x86] = op_tuple,    [0x87] = op_tuple,
	[0x91] = op_tuple,   ['q'] = op_put,       ['r'] = op_put,
	[0x94] = op_put,     ['h'] = op_get,       ['j'] = op_get,
	['0'] = op_pop,
};

static bool unknown(struct machine *m, unsigned char op)
{
	static const char callers[] = "cRbioPQ\x81\x92\x93\x82\x83\x84";
	char why[96];

	(void)snprintf(why, sizeof(why),
	               strchr(callers, op) && op
	                       ? "opcode 0x%02x would run code: refused"
	                       : "opcode 0x%02x is not of a dump",
	               op);
	m->at--;
	return fail(m, FP_ERR_INPUT, why);
}

static bool run(struct machine *m)
{
	while (m->at < m->len) {
		unsigned char op = m->data[m->at++];

		if (op == '.')
			return m->n > 0 || fail(m, FP_ERR_INPUT, "it is empty");
		if (!(ops[op] ? ops[op] : unknown)(m, op))
			return false;
	}
	return fail(m, FP_ERR_INPUT, "ends in the middle");
}

enum fp_status value_from_pickle(struct values *v, const char *data, size_t len,
                                 struct value *ret, struct fp_err *err)
{
	struct fp_err own = { 0 };
	struct machine m = {
		.values = v,
		.data = (const unsigned char *)data,
		.len = len,
		.err = &own,
	};
	bool good = run(&m);

	if (good)
		*ret = m.stack[m.n - 1];
	free(m.stack);
	free(m.memo);
	return good ? FP_OK : fp_err_set(err, own.status, "%s", own.text);
}
