/* SPDX-License-Identifier: Apache-2.0 */
/* The forms in which /proc and others write: "key : value" lines, words. */
#ifndef FP_TOPO_SOURCE_PROC_TEXT_H
#define FP_TOPO_SOURCE_PROC_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * proc_text_value() - what stands behind the first "@key:" that begins a
 * line, blanks around the colon and at both ends left out, cut to @size, fit
 * to print (see fp_copy()).
 *
 * Return: false, and @buf "", if there is no such line.
 */
bool proc_text_value(const char *text, const char *key, char *buf, size_t size);

/** proc_text_has_word() - is @word one of the words of @text? */
bool proc_text_has_word(const char *text, const char *word);

/**
 * proc_text_number_behind() - the decimal number that is all that follows
 * @prefix in @text.
 *
 * Return: -1 if @text is anything else.
 */
int32_t proc_text_number_behind(const char *text, const char *prefix);

/**
 * proc_text_version() - the first "1.2" or "550.54.15" in @text: digits with
 * a dot among them. Cut to @size.
 *
 * Return: false, and @buf "", if there is none.
 */
bool proc_text_version(const char *text, char *buf, size_t size);

#endif
