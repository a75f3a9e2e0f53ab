// Package pathtrace renders a render.Scene by tracing random paths of light. The mean of enough samples is the exact
// image of the light that light.Illumination and the materials describe, with soft shadows, interreflection and
// reflections. It is the reference for the fast renderers. Nothing is clamped or filtered: the remaining error is
// noise, which falls as 1/√samples and is returned with the result. Light of lamps is sampled in two ways, in the
// direction of lamps and in the directions in which surfaces reflect. The power heuristic combines both (Veach 1997).
// Surfaces are matt below a rough or smooth layer: GGX with Smith's masking and shadowing (Walter et al. 2007, Heitz
// 2014) and Schlick's approximation of Fresnel's equations. Intersections are those of the ray caster. Nets, markings
// and the ball's pattern have sharp edges; pixels average them. Depths and the truth of pixels come from the ray
// caster.
//
// Each path's random numbers are a function of the view's NoiseKey, the pixel and the sample: images do not depend on
// the number of processors.
//
//	renderer, err := pathtrace.New(scene, render.Tracing{Samples: 64})
//	defer renderer.Close()
//	err = renderer.Render(&render.Batch{PosesWB: poses, Views: []render.View{view}})
package pathtrace
