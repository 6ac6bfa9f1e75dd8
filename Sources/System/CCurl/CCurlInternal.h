#ifndef CCURL_INTERNAL_H
#define CCURL_INTERNAL_H

/// Returns a symbol of libcurl or of a library that it is linked to, or NULL if there is none. Call
/// it after `ccurl_load`.
void *ccurl_symbol(const char *name);

#endif
