#ifndef QUADRILLE_API_H
#define QUADRILLE_API_H

/// Version of the library and of the program, as text. The build reads it from here.
#define QD_VERSION "0.1.0"

/// Marks what the library exports; everything else is hidden.
#define QD_API __attribute__((visibility("default")))

/// Marks a result that the caller must use.
#define QD_MUST_USE __attribute__((warn_unused_result))

/// Around declarations, so that C++ programs find them.
#ifdef __cplusplus
#    define QD_BEGIN_DECLS extern "C" {
#    define QD_END_DECLS   }
#else
#    define QD_BEGIN_DECLS
#    define QD_END_DECLS
#endif

#endif
