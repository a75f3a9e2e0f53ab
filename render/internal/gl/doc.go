// Package gl renders a render.Scene with OpenGL 4.1 through EGL, without a display, on a graphics card or on the CPU
// (Mesa's llvmpipe).
//
// A Renderer owns one goroutine that is locked to an operating-system thread and holds the context. Render and Close
// may be called from any goroutine. Several Renderers may exist at the same time. Lengths are metres, frames are those
// of package render. Lighting is linear; images are sRGB.
//
// Every camera is drawn directly into its image, without an intermediate cube map. For a pinhole, the rasteriser's own
// projection is exact. For a hyperbolic mirror, each vertex is projected by the unified model; for other models, by a
// table. Edges are divided until the straight line between two projected vertices stays within half a pixel of the true
// curve. Floor, lines and walls are not triangles: each pixel's ray is intersected with them, so that they are exact
// for every camera.
//
// On a graphics card, the views of a batch are drawn in groups of the same size and kind of camera. Each view is a
// layer of the framebuffer. One draw call draws a part of the bodies for all views, and one read-back delivers all
// images while the next group is drawn. Images have the same bytes in any batch.
//
// Shaders then apply the faults of chips and rangings to the images of a group, as package chip does, but for rounding.
// A chip or ranging that no shader knows is left to package chip as a whole, and so is JPEG.
//
// Without a card, views are drawn one by one, in tiles, each with the shortest sufficient shader: most tiles show only
// carpet. Bodies have four samples per pixel, there only in the tiles that show bodies. The light on bodies is computed
// at their vertices. Natural light is that of package render/light, in textures: of the faces of a hall, of a lattice
// of probes, and of the shadow map.
//
//	renderer, err := gl.New(scene)
//	if errors.Is(err, render.ErrNoContext) { … } // the message names the package to install
//	defer renderer.Close()
//	err = renderer.Render(batch)
package gl
