/* SPDX-License-Identifier: Apache-2.0 */
/* XML as a stream of elements; the one user of expat. */
#ifndef FP_TOPO_SOURCE_XML_H
#define FP_TOPO_SOURCE_XML_H

#include "topo/source/source.h"

#define XML_DEPTH_MAX 64
#define XML_ELEMENTS_MAX 200000

/** struct xml_ops - what is called, in order, until one fails. */
struct xml_ops {
	const char *root; /* name of the outermost element */
	enum fp_status (*begin)(void *arg, const char *name,
	                        const char *const *attrs, struct fp_err *err);
	void (*end)(void *arg, const char *name);
};

/**
 * xml_parse() - from where the root element begins to where it ends; what is
 * before and behind it is passed over. No entity of the document's own is
 * taken.
 * @ret_cut: the text ends before the root element does: @ret_line and
 *           @ret_column say where.
 *
 * Return: FP_OK; FP_ERR_INPUT, FP_ERR_LIMIT naming line and column; what the
 * callbacks returned; FP_ERR_NOMEM.
 */
enum fp_status xml_parse(const struct source_text *text,
                         const struct xml_ops *ops, void *arg,
                         struct map_note *ret_cut, struct fp_err *err);

/** xml_has_root() - does an element @name begin anywhere in @text? */
bool xml_has_root(const struct source_text *text, const char *name);

/** xml_attr() - the value of attribute @name; "" if it is not there. */
const char *xml_attr(const char *const *attrs, const char *name);

/**
 * xml_number() - of an attribute, decimal or 0x..., 0 to @max.
 *
 * Return: -1 if it is none.
 */
int32_t xml_number(const char *const *attrs, const char *name, int32_t max);

#endif
