// Package raster contains what the rasterisers of a render.Scene share; it renders nothing itself. It provides baked
// geometry with levels of detail (Geometry), prepared views (Camera), tables of lenses (Lens), the visible parts of
// bodies (Visibility), the motion of points between instants (Motion), the grid of the floor's markings (Marks), the
// classes of an image's tiles (Tiling), and the shaded regions of the light map (LightMap).
//
// Lengths are metres, angles radians, frames those of package render: W is the world, B a body, M a mesh, C the
// camera's optical frame. There are no locks: Geometry, Lens and Marks are immutable; everything else must be used by
// one goroutine at a time. Data prepared for each view reuse their memory.
//
//	geometry := raster.Bake(scene)
//	camera.Set(&view, nil)
//	visible.Collect(geometry.Bodies, posesWB, &camera, view.Hidden)
//	tiling.Sort(&camera, marks, &lightMap)
package raster
