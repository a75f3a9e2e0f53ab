// Package refine cuts triangles so finely that the straight edges between their corners may stand for the curves that
// mirrors and bent lenses show, and says what a scene costs before a renderer is made of it.
//
// Bodies are cut at several levels, of which a view takes the coarsest that is fine enough for its distance. What never
// moves, and lies where no camera comes near, is cut the more coarsely the farther away it is: the number of triangles
// then grows with the logarithm of its size, not with its area.
//
//	levels := refine.Levels(body, len(indices), corner, middle, emit)
//	cost := refine.CostOf(scene, body, 256<<20)
//
// It draws nothing. Functions may be called from any goroutine.
package refine
