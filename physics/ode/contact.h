// Small geometry for contacts made by hand.
#ifndef OMNIPITCH_ODE_CONTACT_H
#define OMNIPITCH_ODE_CONTACT_H

#include "world.h"

// omni_frame is a box's or hull's frame in the world: origin, and rotation in libode's 3×4 layout.
typedef struct {
	double pos[3];
	const dReal *rot;
} omni_frame;

omni_frame omni_base(const omni_part *p);          // of a part, on the floor under it
omni_frame omni_box_frame(const omni_box *b, double half[3]); // of a fixed box, at its centre
void omni_to_local(const omni_frame *f, const double world[3], double local[3]);
void omni_turn_out(const omni_frame *f, const double local[3], double world[3]);

// omni_disc_rect tells whether a disc overlaps a rectangle around the origin; n points from the rectangle to the disc.
int omni_disc_rect(double x, double y, double radius, double half_x, double half_y, double n[2], double *depth);
// omni_ball_box and omni_ball_hull do the same for a ball, in world axes, touching at `at`.
int omni_ball_box(const double centre[3], double radius, const omni_frame *f, const double half[3], dContactGeom *g);
int omni_ball_hull(const double centre[3], double radius, const omni_part *robot, dContactGeom *g);

#endif
