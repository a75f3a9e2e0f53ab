// Package refine subdivides triangles until the straight edges between their corners approximate the curves in images
// of mirrors and lenses with distortion. It also estimates a scene's memory before a renderer is created.
//
// Bodies are subdivided at several levels. A view uses the coarsest level that is fine enough for its distance. Static
// bodies are subdivided more coarsely the farther they are from all expected cameras. The number of triangles of a
// static body then grows with the logarithm of its size instead of with its area.
//
//	levels := refine.Levels(body, len(indices), corner, middle, emit)
//	cost := refine.CostOf(scene, body, 256<<20)
//
// It renders nothing. Functions may be called from any goroutine.
package refine
