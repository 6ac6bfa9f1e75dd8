#ifndef CCURL_INTERNAL_H
#define CCURL_INTERNAL_H

/// A symbol of libcurl or of a library that it is linked to; NULL if there is none. After `ccurl_load`.
void *ccurl_symbol(const char *name);

#endif
