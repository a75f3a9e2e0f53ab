package bench

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// line is a cost that grows with bytes: A seconds, and B seconds for each byte.
type line struct{ A, B float64 }

func (l line) at(bytes float64) float64 { return l.A + l.B*bytes }

// fitLine fits a line to costs of some numbers of bytes, so that the squares of the relative errors are least. worst is
// the largest of these.
func fitLine(bytes, costs []float64) (l line, worst float64, err error) {
	rows := make([][]float64, len(bytes))
	for i, n := range bytes {
		rows[i] = []float64{1, n}
	}
	x, worst, err := fitRelative(rows, costs)
	if err != nil {
		return line{}, 0, err
	}
	return line{x[0], x[1]}, worst, nil
}

// fitRelative finds x of which rows·x is nearest to the costs: the squares of the relative errors are least. worst is
// the largest of these.
func fitRelative(rows [][]float64, costs []float64) (x []float64, worst float64, err error) {
	made := mat.NewDense(len(rows), len(rows[0]), nil)
	ones := mat.NewVecDense(len(rows), nil)
	for i, row := range rows {
		for k, v := range row {
			made.Set(i, k, v/costs[i])
		}
		ones.SetVec(i, 1)
	}
	var solved, fitted mat.VecDense
	if err := solved.SolveVec(made, ones); err != nil {
		return nil, 0, err
	}
	fitted.MulVec(made, &solved)
	for i := range rows {
		worst = max(worst, math.Abs(fitted.AtVec(i)-1))
	}
	return solved.RawVector().Data, worst, nil
}

// clusterModel says what runs on several machines need, from what was measured on one; all in seconds. Processor time
// is that of one core.
//
// Images. A match takes f images a second of n bytes each. An image takes Draw + Worker(n) of a worker's processor, so
// that
//
//	workers = ⌈f·(Draw + Worker(n))⌉, of one core each, which they are busy for without rounding up
//	cores of the run's process = Step + f·Run(n), with the server in it
//	network = f·(n + Order) bytes a second, nearly all of it to the run
//	most images a second = 1/Wall(n)
//
// where Run, Worker and Wall are lines over the bytes of an image. The last is where the engine ends: the rate at which
// a server and a run on one machine have taken images from a worker that draws nothing.
//
// Runs. With W workers that run one after the other, N runs of t seconds each take
//
//	wall = max(⌈N/W⌉·(t + Job), N·Feed)
//
// and one coordinator feeds at most ⌊(t + Job)/Feed⌋ workers, where Job is what a run costs its worker besides itself,
// waiting included, and Feed the least time from one run to the next of the queue.
type clusterModel struct {
	Draw              float64 // processor time of drawing an image
	Step              float64 // processor time of the run for a second of sim time, without images
	Run, Worker, Wall line    // of an image besides being drawn: processor time on both sides, wall time
	Order             float64 // bytes of an order, for each image
	Job, Feed         float64
}

// encrypt has the lines go through what an image has cost that was encrypted: that takes its time for each byte.
func (m *clusterModel) encrypt(c *frameCost) {
	for _, l := range []struct {
		line *line
		cost float64
	}{{&m.Run, c.run}, {&m.Worker, c.worker}, {&m.Wall, c.wall}} {
		l.line.B += (l.cost - l.line.at(c.bytes)) / c.bytes
	}
}

// needs is what a match needs.
type needs struct {
	Workers int
	Busy    float64 // cores of the workers
	Cores   float64 // of the run's process
	Network float64 // bytes/s
	Most    float64 // images/s
}

// match returns what so many images a second in real time, of so many bytes each, need.
func (m *clusterModel) match(rate, bytes float64) needs {
	busy := rate * (m.Draw + m.Worker.at(bytes))
	return needs{
		Workers: int(math.Ceil(busy)), Busy: busy, Cores: m.Step + rate*m.Run.at(bytes),
		Network: rate * (bytes + m.Order), Most: 1 / m.Wall.at(bytes),
	}
}

// runs returns the wall time, in seconds, of so many runs of so many seconds each with so many workers.
func (m *clusterModel) runs(n int, seconds float64, workers int) float64 {
	return max(math.Ceil(float64(n)/float64(workers))*(seconds+m.Job), float64(n)*m.Feed)
}

// feeds returns how many workers one coordinator feeds with runs of so many seconds.
func (m *clusterModel) feeds(seconds float64) int { return int((seconds + m.Job) / m.Feed) }
