// Package tile draws a render.Scene on the processor alone, with vector instructions and without OpenGL. Its pictures
// are those of package render/internal/gl: the same formulas, four samples a pixel of bodies, the same shadows. Natural light is
// that of package render/light.
//
// The truth of images is that of package render/internal/raycast, but at silhouettes: there a pixel's middle may show the one or
// the other, and what is close under a mirror may be off by two pixels.
//
// Go prepares what each view shows; package kernels, in C, draws it in tiles of 16 × 16 pixels. Kernels exist for
// AVX-512, for AVX2, and for any processor; the best that the processor has are used, up to those that
// InstructionsVariable names. The first two give the same bytes, whatever the number of threads; the last may differ by
// roundings.
//
// Images of a batch are drawn side by side, one a processor; when there are fewer images than processors, several draw
// one. A Renderer may be used from any goroutine and serves one Batch at a time. A picture allocates nothing once the
// largest of its scene has been drawn.
//
//	renderer, err := tile.New(scene)
//	defer renderer.Close()
//	err = renderer.Render(batch)
package tile
