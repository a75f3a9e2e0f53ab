// Package pathtrace draws a render.Scene by following paths of light at random: the mean of enough samples is the exact
// picture of the light that light.Illumination and the materials describe, with soft shadows, light that comes back
// from all around, and reflections. It is what renderers that are fast are compared with. Nothing is clamped or
// filtered: what is left of an error is noise, which falls as 1/√samples and is told with the result.
//
// Lamps are sampled by themselves and by what surfaces reflect, both weighed by the power heuristic (Veach 1997).
// Surfaces are matt below a rough or smooth layer: GGX with Smith's masking and shadowing (Walter et al. 2007, Heitz
// 2014), Schlick's approximation of Fresnel's equations. What a ray meets is what the ray caster's rays meet. Nets,
// markings and the ball's pattern are sharp; pixels average them. Depths and the truth of pixels come from the ray
// caster.
//
// Each path's random numbers are a function of the view's NoiseKey, the pixel and the sample: images do not depend on
// the number of processors.
//
//	renderer, err := pathtrace.New(scene, render.Tracing{Samples: 64})
//	defer renderer.Close()
//	err = renderer.Render(&render.Batch{PosesWB: poses, Views: []render.View{view}})
package pathtrace
