// SPDX-License-Identifier: Apache-2.0
// XML by way of expat, within limits.
#include "topo/source/xml.h"

#include <ctype.h>
#include <expat.h>
#include <stdlib.h>
#include <string.h>

struct parse {
	const struct xml_ops *ops;
	void *arg;
	XML_Parser parser;
	struct fp_err err;
	size_t depth, elements;
	int32_t first_line; /* lines before the root element */
	bool finished;
};

static const char *find_root(const struct source_text *text, const char *name)
{
	const char *at = text->data, *end = text->data + text->len;
	size_t len = strlen(name);

	while ((at = memchr(at, '<', (size_t)(end - at)))) {
		if ((size_t)(end - at) > len + 1 &&
		    strncmp(at + 1, name, len) == 0 &&
		    (isspace((unsigned char)at[len + 1]) || at[len + 1] == '>'))
			return at;
		at++;
	}
	return NULL;
}

bool xml_has_root(const struct source_text *text, const char *name)
{
	return text->len > 0 && find_root(text, name);
}

const char *xml_attr(const char *const *attrs, const char *name)
{
	for (; *attrs; attrs += 2) {
		if (strcmp(attrs[0], name) == 0)
			return attrs[1];
	}
	return "";
}

int32_t xml_number(const char *const *attrs, const char *name, int32_t max)
{
	const char *text = xml_attr(attrs, name);
	char *end;
	long long value = strtoll(text, &end, 0);

	return end == text || value < 0 || value > max ? -1 : (int32_t)value;
}

static struct map_note place(const struct parse *p)
{
	return (struct map_note){
		.line = p->first_line +
		        (int32_t)XML_GetCurrentLineNumber(p->parser),
		.column = (int32_t)XML_GetCurrentColumnNumber(p->parser) + 1,
	};
}

static void stop(struct parse *p, enum fp_status status, const char *what)
{
	struct map_note at = place(p);

	if (what)
		fp_err_set(&p->err, status, "line %d, column %d: %s", at.line,
		           at.column, what);
	else
		fp_err_prefix(&p->err, "line %d, column %d", at.line,
		              at.column);
	XML_StopParser(p->parser, XML_FALSE);
}

static void XMLCALL on_begin(void *arg, const XML_Char *name,
                             const XML_Char **attrs)
{
	struct parse *p = arg;
	struct fp_err err = { 0 };

	if (p->err.status != FP_OK)
		return;
	if (++p->depth > XML_DEPTH_MAX) {
		stop(p, FP_ERR_LIMIT, "elements are nested too deeply");
		return;
	}
	if (++p->elements > XML_ELEMENTS_MAX) {
		stop(p, FP_ERR_LIMIT, "too many elements");
		return;
	}
	if (p->ops->begin(p->arg, name, (const char *const *)attrs, &err) ==
	    FP_OK)
		return;
	p->err = err;
	stop(p, err.status, NULL);
}

static void XMLCALL on_end(void *arg, const XML_Char *name)
{
	struct parse *p = arg;

	if (p->err.status != FP_OK)
		return;
	p->depth--;
	if (p->ops->end)
		p->ops->end(p->arg, name);
	if (p->depth)
		return;
	p->finished = true;
	XML_StopParser(p->parser, XML_FALSE);
}

/* NOLINTNEXTLINE(readability-function-size): the shape is expat's */
static bool is_cut(enum XML_Error code)
{
	return code == XML_ERROR_NO_ELEMENTS ||
	       code == XML_ERROR_UNCLOSED_TOKEN ||
	       code == XML_ERROR_PARTIAL_CHAR;
}

/* What became of it. A callback's own error comes before expat's. */
static enum fp_status outcome(struct parse *p, enum XML_Status rc,
                              struct map_note *ret_cut, struct fp_err *err)
{
	enum XML_Error code = XML_GetErrorCode(p->parser);

	if (p->err.status != FP_OK)
		return fp_err_set(err, p->err.status, "%s", p->err.text);
	if (p->finished || rc == XML_STATUS_OK)
		return FP_OK;
	if (code == XML_ERROR_NO_MEMORY)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for XML");
	if (is_cut(code) && p->elements) {
		*ret_cut = place(p);
		return FP_OK;
	}
	stop(p, FP_ERR_INPUT, XML_ErrorString(code));
	return fp_err_set(err, FP_ERR_INPUT, "%s", p->err.text);
}

enum fp_status xml_parse(const struct source_text *text,
                         const struct xml_ops *ops, void *arg,
                         struct map_note *ret_cut, struct fp_err *err)
{
	struct parse p = { .ops = ops, .arg = arg };
	const char *at = find_root(text, ops->root);
	enum fp_status status;
	size_t left;

	*ret_cut = (struct map_note){ 0 };
	if (!at)
		return fp_err_set(err, FP_ERR_INPUT, "no element <%s>",
		                  ops->root);
	for (const char *s = text->data; s < at; s++)
		p.first_line += *s == '\n';
	left = text->len - (size_t)(at - text->data);
	if (left > SOURCE_MAX_BYTES)
		return fp_err_set(err, FP_ERR_LIMIT, "%zu bytes, more than %u",
		                  left, SOURCE_MAX_BYTES);
	/* Entities are declared before the root element, which is where this
	 * begins: none is known, and one that is used is an error. */
	p.parser = XML_ParserCreate("UTF-8");
	if (!p.parser)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for XML");
	XML_SetUserData(p.parser, &p);
	XML_SetElementHandler(p.parser, on_begin, on_end);
	status = outcome(&p, XML_Parse(p.parser, at, (int)left, 1), ret_cut,
	                 err);
	XML_ParserFree(p.parser);
	return status;
}
