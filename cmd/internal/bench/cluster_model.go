package bench

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// line is a cost that is linear in bytes: A seconds plus B seconds per byte.
type line struct{ A, B float64 }

func (l line) at(bytes float64) float64 { return l.A + l.B*bytes }

// fitLine returns the line that best fits costs measured for the given numbers of bytes: it minimizes the sum of
// squared relative errors. The result worst is the largest relative error.
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

// fitRelative returns the x for which rows·x approximates costs with the least sum of squared relative errors. The
// result worst is the largest relative error.
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

// clusterModel estimates the needs of runs on several machines from measurements on one. Times are in seconds;
// processor time is that of one core.
//
// Images. A match needs f images a second of n bytes each. An image takes the processor time Draw + Worker(n) of a
// worker, so that
//
//	workers = ⌈f·(Draw + Worker(n))⌉, of one core each; before rounding up, the cores that they are busy for
//	cores of the run's process = Step + f·Run(n), with the server in it
//	network = f·(n + Order) bytes a second, nearly all of it to the run
//	most images a second = 1/Wall(n)
//
// Run, Worker and Wall are linear in the bytes of an image. 1/Wall is the measured rate at which a server and a run on
// one machine receive images from a worker that renders nothing.
//
// Runs. If each of W workers executes one run after the other, N runs of t seconds each take
//
//	wall = max(⌈N/W⌉·(t + Job), N·Feed)
//
// One coordinator serves at most ⌊(t + Job)/Feed⌋ workers. Job is a worker's overhead per run, waiting included. Feed
// is the least time between two runs that workers take from the queue.
type clusterModel struct {
	Draw float64 // processor time of rendering an image
	Step float64 // processor time of the run for a second of sim time, without images
	// overhead of an image: processor time of the run, processor time of the worker, and wall time
	Run, Worker, Wall line
	Order             float64 // bytes of the request for an image
	Job, Feed         float64
}

// encrypt changes the slopes of the lines Run, Worker and Wall, so that each line passes through the cost c of an
// encrypted image. Only the slopes change, because encryption takes time per byte.
func (m *clusterModel) encrypt(c *frameCost) {
	for _, l := range []struct {
		line *line
		cost float64
	}{{&m.Run, c.run}, {&m.Worker, c.worker}, {&m.Wall, c.wall}} {
		l.line.B += (l.cost - l.line.at(c.bytes)) / c.bytes
	}
}

// needs are the requirements of a match.
type needs struct {
	Workers int
	Busy    float64 // cores of the workers
	Cores   float64 // cores of the run's process
	Network float64 // bytes/s
	Most    float64 // images/s
}

// match returns what a match needs in real time. The arguments are its number of images per second, and the size of
// each image in bytes.
func (m *clusterModel) match(rate, bytes float64) needs {
	busy := rate * (m.Draw + m.Worker.at(bytes))
	return needs{
		Workers: int(math.Ceil(busy)), Busy: busy, Cores: m.Step + rate*m.Run.at(bytes),
		Network: rate * (bytes + m.Order), Most: 1 / m.Wall.at(bytes),
	}
}

// runs returns the wall time, in seconds, of n runs of the given length with the given number of workers.
func (m *clusterModel) runs(n int, seconds float64, workers int) float64 {
	return max(math.Ceil(float64(n)/float64(workers))*(seconds+m.Job), float64(n)*m.Feed)
}

// feeds returns the number of workers that one coordinator can serve with runs of the given length.
func (m *clusterModel) feeds(seconds float64) int { return int((seconds + m.Job) / m.Feed) }
