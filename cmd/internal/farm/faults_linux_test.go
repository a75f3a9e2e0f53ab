package farm_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/cluster"
	"github.com/omnipitch/omnipitch/cmd/internal/farm"
	"github.com/omnipitch/omnipitch/testdata/must"
)

var (
	schedules = flag.Int("farm.schedules", 1, "random schedules of faults")
	faultsFor = flag.Duration("farm.for", time.Second, "sim time of a schedule, which takes some times as long")
)

// wire is a connection between a server and its client. Tests can slow it down or cut it without notice to either end.
type wire struct {
	net.Listener
	to    string
	pause atomic.Int64 // nanoseconds before each KiB
	cut   atomic.Bool
	all   sync.WaitGroup
	done  chan struct{}
}

func newWire(t testing.TB, to string) *wire {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must.Do(t, err)
	w := &wire{Listener: l, to: to, done: make(chan struct{})}
	w.all.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", to)
			if err != nil {
				conn.Close()
				continue
			}
			w.all.Go(func() { w.pass(conn, far) })
			w.all.Go(func() { w.pass(far, conn) })
		}
	})
	t.Cleanup(func() {
		close(w.done)
		l.Close()
		w.all.Wait()
	})
	return w
}

func (w *wire) pass(from, to net.Conn) {

	defer from.Close()
	defer to.Close()
	stop := make(chan struct{})
	defer close(stop)
	w.all.Go(func() {
		select {
		case <-w.done:
			from.Close()
			to.Close()
		case <-stop:
		}
	})
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		for w.cut.Load() {
			select {
			case <-w.done:
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
		if pause := time.Duration(w.pause.Load()); pause > 0 {
			time.Sleep(pause * time.Duration((n+1023)/1024))
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// through writes a join file that reaches a server through the wire.
func (w *wire) through(t testing.TB, join string) string {
	t.Helper()
	text, err := os.ReadFile(join)
	must.Do(t, err)
	path := filepath.Join(t.TempDir(), "join")
	must.Do(t, os.WriteFile(path, []byte(strings.ReplaceAll(string(text), w.to, w.Addr().String())), 0o600))
	return path
}

// TestWhateverWorkersDo checks that a run has the same images, byte for byte, despite faults of workers and network.
// Workers are killed, join, hang and resume, share a name, are slow, or cannot be reached for a while.
func TestWhateverWorkersDo(t *testing.T) {
	for seed := range *schedules {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { runSchedule(t, uint64(seed)) })
	}
}

func runSchedule(t *testing.T, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 1))
	join := filepath.Join(t.TempDir(), "join")
	server, err := cluster.Serve(cluster.ServerConfig{Listen: "0", Join: join})
	must.Do(t, err)
	defer server.Close()
	conn, err := server.Connect()
	must.Do(t, err)
	var mu sync.Mutex
	var said []string
	host, err := farm.New(farm.Config{Conn: conn, Version: "v", Renderer: "tile", Lease: 150 * time.Millisecond,
		Here: seed%2 == 0, Notify: func(text string) {
			mu.Lock()
			defer mu.Unlock()
			said = append(said, text)
		}})
	must.Do(t, err)
	defer host.Close()
	const workers = 3
	var (
		wires  [workers]*wire
		joins  [workers]string
		now    [workers]*exec.Cmd
		heals  []func()
		faults []string
		ready  bool
		over   time.Duration
	)
	hire := func(i int) { now[i] = child(t, joins[i], "twin") }
	for i := range workers {
		wires[i] = newWire(t, server.Address)
		joins[i] = wires[i].through(t, join)
		hire(i)
	}
	fault := func() {
		i := random.IntN(workers)
		kind := random.IntN(4)
		faults = append(faults, fmt.Sprintf("%d of %d", kind, i))
		switch kind {
		case 0: // kill it and start another
			_ = now[i].Process.Kill()
			hire(i)
		case 1: // hang it
			cmd := now[i]
			_ = cmd.Process.Signal(syscall.SIGSTOP)
			heals = append(heals, func() { _ = cmd.Process.Signal(syscall.SIGCONT) })
		case 2: // cut it off
			wires[i].cut.Store(true)
			heals = append(heals, func() { wires[i].cut.Store(false) })
		case 3: // about ten times slower: 2 MB/s
			wires[i].pause.Store(int64(500 * time.Microsecond))
			heals = append(heals, func() { wires[i].pause.Store(0) })
		}
	}
	steps := 0
	got := show(t, seeing(t), host, func(sim *omnipitch.Sim) bool {
		time.Sleep(5 * time.Millisecond)
		if !ready {
			ready = host.Ready() >= 2
			over = sim.Truth().Time + *faultsFor
			return true
		}
		if steps++; steps%20 == 0 {
			if len(heals) > 0 && random.IntN(2) == 0 {
				heals[0]()
				heals = heals[1:]
			} else {
				fault()
			}
		}
		return sim.Truth().Time < over
	})
	for _, heal := range heals {
		heal()
	}
	got.compare(t, show(t, seeing(t), nil, func(sim *omnipitch.Sim) bool { return sim.Truth().Time < over }))
	shares, saved := host.Shares()
	mu.Lock()
	defer mu.Unlock()
	t.Logf("faults %v: %d frames, drawn by %v, %d owed; %s", faults, len(got), shares, saved, strings.Join(said, "; "))
	if len(shares) < 2 {
		t.Error("no worker has drawn")
	}
}

// TestMain runs a worker in a separate process if the environment names a join file.
func TestMain(m *testing.M) {
	path := os.Getenv("OMNIPITCH_TEST_JOIN")
	if path == "" {
		os.Exit(m.Run())
	}
	join, err := cluster.ReadJoin(path)
	if err == nil {
		conn, connectErr := join.Connect("worker")
		if err = connectErr; err == nil {
			_, err = (&farm.Worker{Name: os.Getenv("OMNIPITCH_TEST_NAME"), Version: "v", NewSim: newSim}).Serve(
				context.Background(), conn)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// child starts a worker in a separate process.
func child(t testing.TB, join, name string) *exec.Cmd {
	t.Helper()
	program, err := os.Executable()
	must.Do(t, err)
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), "OMNIPITCH_TEST_JOIN="+join, "OMNIPITCH_TEST_NAME="+name)
	out, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	must.Do(t, err)
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			t.Log(name + ": " + lines.Text())
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd
}
