#ifndef QUADRILLE_FIELD_H
#define QUADRILLE_FIELD_H

#include <quadrille/alloc.h>
#include <quadrille/status.h>
#include <quadrille/world.h>
#include <stddef.h>
#include <stdint.h>

QD_BEGIN_DECLS

/// Fields: what is measured of a world cell by cell, on a grid that covers it from side to side. Each value
/// is the same for any thread count, SIMD level, compiler and optimization level. docs/fields.md has each
/// quantity's definition and the conventions of the stress.
///
/// Dynamic bodies count, each with all that it has in the cell where its centre is. One outside of open sides
/// is in no cell.
typedef struct qd_field qd_field;

/// The quantities, in the order in which they are recorded.
typedef enum qd_field_quantity {
    QD_FIELD_NUMBER_DENSITY,
    QD_FIELD_MASS_DENSITY,
    QD_FIELD_AREA_FRACTION,
    QD_FIELD_VELOCITY_X, ///< momentum over mass; NaN in an empty cell
    QD_FIELD_VELOCITY_Y,
    QD_FIELD_TEMPERATURE, ///< NaN in an empty cell
    QD_FIELD_KINETIC_XX,  ///< stress that bodies carry; pressure counts as positive, as in all stresses here
    QD_FIELD_KINETIC_XY,
    QD_FIELD_KINETIC_YY,
    QD_FIELD_CONTACT_XX, ///< stress that contacts carry, in the step before; NaN where it was not watched
    QD_FIELD_CONTACT_XY,
    QD_FIELD_CONTACT_YX,
    QD_FIELD_CONTACT_YY,
    QD_FIELD_CONTACT_NUMBER, ///< contacts per body, with walls, without sensors; NaN in an empty cell
    QD_FIELD_QUANTITIES
} qd_field_quantity;

/// Most cells of a grid in all, and along one side.
#define QD_FIELD_CELLS_MAX 32000
#define QD_FIELD_SIDE_MAX  16384

/// Name, as in run.db, and unit of a quantity; NULL for a number that is none.
QD_API const char *qd_field_name(qd_field_quantity quantity);
QD_API const char *qd_field_unit(qd_field_quantity quantity);

/// Where the cells lie: nx by ny of them, from the corner (x, y) on; a cell is width by height.
typedef struct qd_field_grid {
    double x, y, width, height;
    uint32_t nx, ny;
} qd_field_grid;

/// The next step of a world collects what the contact stress is made of, for one step only; it changes no
/// result. With springs there is no need to, and no harm in it. Cost: a pass over the contacts in that step.
QD_API QD_MUST_USE qd_status qd_world_watch_stress(qd_world *world);

/// Makes a field of nx by ny cells. `allocator` may be NULL. Errors: QD_ERR_VALUE (no cells, or more than
/// QD_FIELD_CELLS_MAX), QD_ERR_ARGUMENT, QD_ERR_MEMORY.
QD_API QD_MUST_USE qd_status qd_field_create(uint32_t nx, uint32_t ny, const qd_allocator *allocator,
                                             qd_field **field);

/// Frees; NULL is fine.
QD_API void qd_field_destroy(qd_field *field);

/// Measures a world as it is, on its team; the values before are replaced. The world's sides as they are now
/// are those of the grid. Cost: a sort of the bodies by cell, and one of the contacts. Errors:
/// QD_ERR_ARGUMENT, QD_ERR_MEMORY: then no value means anything.
QD_API QD_MUST_USE qd_status qd_field_measure(qd_field *field, const qd_world *world);

/// Adds what was measured last to a mean that is on its way. Errors: QD_ERR_ARGUMENT, QD_ERR_MEMORY.
QD_API QD_MUST_USE qd_status qd_field_add(qd_field *field);

/// Makes the values the mean of what was added since the last mean; step, time and grid stay those of the
/// last measurement. Densities and stresses are means over the moments; velocities are weighted by the mass
/// in the cell, temperature and contacts per body by its number of bodies: NaN where it was always empty.
/// Errors: QD_ERR_ARGUMENT, QD_ERR_STATE (nothing was added).
QD_API QD_MUST_USE qd_status qd_field_average(qd_field *field);

/// Bytes of a mean on its way, the same on every machine: writes them if `bytes` is not NULL, and returns how
/// many they are; 0 where nothing was added.
QD_API size_t qd_field_save_sums(const qd_field *field, unsigned char *bytes);
/// Goes on with such a mean, in a field of as many cells. Errors: QD_ERR_ARGUMENT, QD_ERR_CORRUPT,
/// QD_ERR_MEMORY.
QD_API QD_MUST_USE qd_status qd_field_load_sums(qd_field *field, const unsigned char *bytes, size_t size);

/// Grid, step and time of the last measurement.
QD_API qd_field_grid qd_field_grid_of(const qd_field *field);
QD_API uint64_t qd_field_step(const qd_field *field);
QD_API double qd_field_time(const qd_field *field);

/// nx * ny values, row by row from the bottom, each from the left; the field's, until it is measured again.
QD_API const double *qd_field_values(const qd_field *field, qd_field_quantity quantity);

QD_END_DECLS

#endif
