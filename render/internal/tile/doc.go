// Package tile renders a render.Scene on the processor with vector instructions, without OpenGL. Its images equal those
// of package render/internal/gl: the same formulas, four samples per pixel of bodies, the same shadows. Natural light
// is that of package render/light.
//
// The truth of images is that of package render/internal/raycast, except at silhouettes: there a pixel's centre may
// show either side, and close objects under a mirror may be off by two pixels.
//
// Go code prepares what each view shows; package kernels, in C, draws it in tiles of 16 × 16 pixels. There are kernels
// for AVX-512, for AVX2, and for any processor. The best kernels that the processor supports are used, up to those that
// InstructionsVariable names. The kernels for AVX-512 and AVX2 give the same bytes, for any number of threads; the
// kernels for any processor may differ by rounding.
//
// Images of a batch are drawn in parallel, one per processor. If there are fewer images than processors, several
// processors draw one image. A Renderer may be used from any goroutine and draws one Batch at a time. It allocates
// nothing once the largest image of its scene has been drawn.
//
//	renderer, err := tile.New(scene)
//	defer renderer.Close()
//	err = renderer.Render(batch)
package tile
