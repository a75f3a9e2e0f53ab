package main

import (
	"testing"
	"time"
)

// BenchmarkRealTimeFactor measures the whole program: nubot-attack with all cameras rendered, and a roscpp subscriber
// to all six images. Every iteration is a run of 10 s, so run it with
//
// go test -run '^$' -bench RealTimeFactor -benchtime 3x ./cmd/omnipitch
//
// real_time_factor is 1 if the machine keeps up. late_frames counts images that a step had to wait for. The rates in Hz
// are received frames per second of sim time.
func BenchmarkRealTimeFactor(b *testing.B) {
	needROS(b)
	all := topicsWith("")
	var factor, late float64
	received := map[string]float64{}
	b.StopTimer()
	for range b.N {
		uri, _ := freeMaster(b)
		sim := simulate(b, uri, "--for", "10s")
		peer := roscpp(b, uri, append([]string{"watch", "0"}, all...)...)
		b.StartTimer()
		sum := sim.summary()
		b.StopTimer()
		factor += sum.Factor
		for _, s := range sum.Sensors {
			late += float64(s.Late)
		}
		for _, topic := range all {
			frames := peer.seen(topic)
			if len(frames) < 2 {
				b.Fatalf("%s: %d frames in 10 s", topic, len(frames))
			}
			received[topic] += float64(len(frames)-1) / (peer.last(topic) - frames[0].stamp).Seconds()
		}
	}
	n := float64(b.N)
	b.ReportMetric(factor/n, "real_time_factor")
	b.ReportMetric(late/n, "late_frames")
	for _, topic := range all {
		b.ReportMetric(received[topic]/n, topic[1:]+"_Hz")
	}
}

// BenchmarkMaxFactorObjects measures how fast the upper levels run without a pace. An iteration is five minutes of sim
// time with physics, but without images and without ROS.
//
// go test -run '^$' -bench MaxFactorObjects -benchtime 5x ./cmd/omnipitch
func BenchmarkMaxFactorObjects(b *testing.B) {
	var factor float64
	for range b.N {
		p := start(b, "", program(b), "run", "nubot-attack", "--json", "--ros1", "off", "--for",
			(5 * time.Minute).String(),
			"--speed", "max", "--level", "*=objects")
		factor += p.summary().Factor
	}
	b.ReportMetric(factor/float64(b.N), "real_time_factor")
}
