package physics

const (
	// boardThickness and boardTop are those of the boards around the border as bodies, in metres: nothing passes, and no
	// robot leans over. For the ball alone they end at Field.WallHeight: what flies higher leaves the hall.
	boardThickness = 2.0
	boardTop       = 4.0
)

// FixedBox stands still.
type FixedBox struct {
	Box
	BallTop  float64 // height up to which it stops the ball, metres
	Material Material
}

// Fixed returns the boards and the goals of a field as bodies.
func (f *Field) Fixed() []FixedBox {
	x, y := f.Length/2+f.Border, f.Width/2+f.Border
	const t = boardThickness
	boxes := []FixedBox{
		{Box: Box{Min: [3]float64{x, -y - t, 0}, Max: [3]float64{x + t, y + t, boardTop}}},
		{Box: Box{Min: [3]float64{-x - t, -y - t, 0}, Max: [3]float64{-x, y + t, boardTop}}},
		{Box: Box{Min: [3]float64{-x, y, 0}, Max: [3]float64{x, y + t, boardTop}}},
		{Box: Box{Min: [3]float64{-x, -y - t, 0}, Max: [3]float64{x, -y, boardTop}}},
	}
	for i := range boxes {
		boxes[i].BallTop, boxes[i].Material = f.WallHeight, Board
	}
	for _, g := range f.Goals() {
		for _, b := range f.GoalFrame(g) {
			boxes = append(boxes, FixedBox{Box: b, BallTop: b.Max[2], Material: Post})
		}
		for _, b := range f.GoalCage(g) {
			boxes = append(boxes, FixedBox{Box: b, BallTop: b.Max[2], Material: Net})
		}
	}
	return boxes
}
