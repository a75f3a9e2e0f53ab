// Package cards finds other robots by the colour cards that they bear, in images of a camera whose pixels' directions
// are known: a robot's middle, and its team. It knows one image: it tracks nothing.
//
//	f := cards.NewFinder(view, cards.NuBot)
//	for _, m := range f.Find(image) { // rgb8; nearest first; lent until the next call
//		if m.Color == colors.Cyan { … } // a mate of cyan
//	}
//
// How far a card is follows from how high it hangs and how much below or above the horizon its middle is seen, as Dai
// et al. have it ("Communication-less cooperation between soccer robots", RoboCup 2016, equation 1), and from how tall
// it looks. Places are in the robot's frame, metres. A Finder is for one goroutine. It allocates nothing once it has
// seen a few images.
package cards
