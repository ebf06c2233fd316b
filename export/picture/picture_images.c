// Which periodic images of a body a picture shows.

#include "export/picture/picture_impl.h"

#include <math.h>

// Most images of a periodic world to either side: a picture of more would show nothing but noise.
enum { IMAGES_MAX = 8 };
// The number of a periodic image, limited to those that a picture shows.
static int limit_image_number(double number) {
    if (number < -IMAGES_MAX) return -IMAGES_MAX;
    return number > IMAGES_MAX ? IMAGES_MAX : (int)number;
}

qdi_images qdi_picture_images(const qdi_copy *copier, double x, double y, double reach) {
    const qdi_area *clip = &copier->picture->clip;
    qdi_images images = {0, 0, 0, 0};
    reach += 2.0;
    if (copier->period_x > 0.0) {
        images.x0 = limit_image_number(ceil((clip->min_x - reach - x) / copier->period_x));
        images.x1 = limit_image_number(floor((clip->max_x + reach - x) / copier->period_x));
    }
    if (copier->period_y > 0.0) {
        images.y0 = limit_image_number(ceil((clip->min_y - reach - y) / copier->period_y));
        images.y1 = limit_image_number(floor((clip->max_y + reach - y) / copier->period_y));
    }
    return images;
}
