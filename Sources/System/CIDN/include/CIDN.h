// International host names by libidn2, which libcurl also uses. The library is loaded at its first
// use, because few programs need it.
#ifndef CIDN_H
#define CIDN_H

#include <stddef.h>

// Larger than any name with its zero byte.
enum { CIDN_SIZE = 256 };

// Converts a UTF-8 name that ends with a zero byte to ASCII (UTS 46, whatever the locale). Returns
// NULL, or why that is impossible; the text belongs to the library. Any thread.
const char *cidn_to_ascii(const char *name, char ascii[CIDN_SIZE]);

#endif
