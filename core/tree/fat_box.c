#include "core/tree/fat_box.h"

double qdi_margin_horizon(double growth, double pairs, double lasted, double meant) {
    const double renew = 2, test = 0.2, still = 2 * QDI_MARGIN_LEAST,
                 share = lasted < meant ? lasted / meant : 1;
    double least_cost = 1, best = 0;
    for (int k = 2; k <= QDI_MARGIN_LONGEST && k <= 2 * lasted + 2; ++k) {
        const double side = 1 + growth * k + still;
        const double life = share * k > 1 ? share * k : 1;
        const double cost = renew / life + test * pairs * (side * side - 1);
        if (cost < least_cost) {
            least_cost = cost;
            best = k;
        }
    }
    return best;
}

// Fat box in the tree: true where a fat box holds some periodic image of a box along an axis.
static bool fat_box_holds_on_axis(float fat_min, float fat_max, float min, float max, double period) {
    for (int shift = -1; shift <= 1; ++shift) {
        const double by = shift * period;
        if ((double)fat_min <= (double)min + by && (double)max + by <= (double)fat_max) return true;
    }
    return false;
}

bool qdi_margin_holds_image(qd_box fat, qd_box box, qd_vec2 period) {
    return fat_box_holds_on_axis(fat.min_x, fat.max_x, box.min_x, box.max_x, period.x) &&
           fat_box_holds_on_axis(fat.min_y, fat.max_y, box.min_y, box.max_y, period.y);
}
