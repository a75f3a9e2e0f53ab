// Package raster holds what rasterisers of a render.Scene share, and draws nothing itself: baked geometry with its
// levels of detail (Geometry), prepared views (Camera), tables of lenses (Lens), the visible parts of bodies
// (Visibility), the grid of the floor's markings (Marks), the classes of an image's tiles (Tiling), and which places of
// the light map bodies shade (LightMap).
//
// Lengths are metres, angles radians, frames those of package render: W is the world, B a body, M a mesh, C the
// camera's optical frame. Nothing here locks: a Geometry, a Lens and Marks do not change once made, the rest belongs to
// one goroutine at a time. What is prepared for each view reuses its memory.
//
//	geometry := raster.Bake(scene)
//	camera.Set(&view, nil)
//	visible.Collect(geometry.Bodies, posesWB, &camera, view.Hidden)
//	tiling.Sort(&camera, marks, &lightMap)
package raster
