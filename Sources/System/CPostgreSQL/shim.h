// Debian has the header in the folder postgresql, and other distributions have it in no folder.
#if __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#include <libpq-fe.h>
#endif
