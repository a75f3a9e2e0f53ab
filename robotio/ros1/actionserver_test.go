package ros1

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// Parts of actionlib/Test, the action of actionlib's own tests.
type (
	testGoal     struct{ Goal int32 }
	testResult   struct{ Result int32 }
	testFeedback struct{ Feedback int32 }
	testClient   = ActionClient[testGoal, testResult, testFeedback]
	testSent     = SentGoal[testResult, testFeedback]
)

const testAction = "actionlib/TestAction"

// Goals that serveTest treats in another way than other goals.
const (
	goalAborts int32 = -1
	goalWaits  int32 = -2 // until it is cancelled
	goalStays  int32 = -3 // succeeds when it is cancelled
)

// actionNode returns a node whose library has actionlib/Test.
func actionNode(t *testing.T, uri, name string) *Node {
	t.Helper()
	types := must.Get(msg.Load("std"))(t)
	must.Do(t, types.AddAction("actionlib/Test", "int32 goal\n---\nint32 result\n---\nint32 feedback\n"))
	n := must.Get(NewNode(NodeConfig{Name: name, MasterURI: uri, Types: types, Log: testLog(t)}))(t)
	t.Cleanup(func() { n.Close() })
	return n
}

// serveTest serves /test. A goal has feedback 1 to 3, and its result is twice the goal.
func serveTest(t *testing.T, n *Node) *ActionServer {
	t.Helper()
	return must.Get(ServeAction(n, "/test", testAction, WallTime, func(ctx context.Context, g *testGoal,
		feedback func(*testFeedback)) (*testResult, error) {
		for i := range int32(3) {
			feedback(&testFeedback{i + 1})
		}
		switch g.Goal {
		case goalAborts:
			return &testResult{7}, errors.New("it cannot")
		case goalWaits:
			<-ctx.Done()
			return nil, ctx.Err()
		case goalStays:
			<-ctx.Done()
		}
		return &testResult{2 * g.Goal}, nil
	}))(t)
}

// actionClient returns a client of /test that is connected to its server.
func actionClient(t *testing.T, n *Node) *testClient {
	t.Helper()
	c := must.Get(NewActionClient[testGoal, testResult, testFeedback](n, "/test", testAction, WallTime))(t)
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	must.Do(t, c.WaitForServer(ctx))
	return c
}

// wantGoal waits for the end of a goal, and checks its status and its result.
func wantGoal(t *testing.T, g *testSent, status uint8, text string, result int32) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	got, err := g.Wait(ctx)
	if err == nil {
		err = &GoalError{Status: msg.GoalSucceeded}
	}
	e, ok := errors.AsType[*GoalError](err)
	if !ok {
		t.Fatal(err)
	}
	must.Equal(t, fmt.Sprint(e.Status, " ", e.Text), fmt.Sprint(status, " ", text), "status and text")
	if status == msg.GoalLost {
		return
	}
	must.Equal(t, *got, testResult{result}, "result")
}

// begun waits until a goal has feedback, so it is active.
func begun(t *testing.T, c *testClient, goal int32) *testSent {
	t.Helper()
	first := make(chan bool, 100)
	g := c.Send(&testGoal{goal}, func(*testFeedback) { first <- true })
	recv(t, first)
	return g
}

// listed returns a goal that waits and whose status the client has received.
func listed(t *testing.T, c *testClient) *testSent {
	t.Helper()
	g := c.Send(&testGoal{goalWaits}, nil)
	must.Until(t, "the status of the goal", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return g.known
	})
	return g
}

func TestActions(t *testing.T) {
	uri := newMaster(t).URI()
	server := serveTest(t, actionNode(t, uri, "/server"))
	c := actionClient(t, actionNode(t, uri, "/client"))

	feedback := make(chan int32, 10)
	stays := c.Send(&testGoal{goalStays}, func(f *testFeedback) { feedback <- f.Feedback })
	for i := range int32(3) {
		must.Equal(t, recv(t, feedback), i+1, "feedback")
	}
	stays.Cancel() // it may succeed all the same
	wantGoal(t, stays, msg.GoalSucceeded, "", 2*goalStays)
	wantGoal(t, c.Send(&testGoal{21}, nil), msg.GoalSucceeded, "", 42)
	wantGoal(t, c.Send(&testGoal{goalAborts}, nil), msg.GoalAborted, "it cannot", 7)

	cancelled := begun(t, c, goalWaits)
	cancelled.Cancel()
	wantGoal(t, cancelled, msg.GoalPreempted, errCancelled.Error(), 0)

	older := begun(t, c, goalWaits)
	wantGoal(t, c.Send(&testGoal{4}, nil), msg.GoalSucceeded, "", 8)
	wantGoal(t, older, msg.GoalPreempted, errNewer.Error(), 0)

	other := actionClient(t, actionNode(t, uri, "/other"))
	waits := begun(t, other, goalWaits)
	c.CancelAll()
	wantGoal(t, waits, msg.GoalPreempted, errCancelled.Error(), 0)

	lost := listed(t, c)
	must.Do(t, server.Close())
	serveTest(t, actionNode(t, uri, "/new"))
	wantGoal(t, lost, msg.GoalLost, "", 0)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := begun(t, actionClient(t, actionNode(t, uri, "/third")), goalWaits).Wait(ctx); err != ctx.Err() {
		t.Errorf("err = %v, want %v", err, ctx.Err())
	}
}

// rawServer is an ActionServer whose goals wait until they may end, and whose messages come from the test itself.
type rawServer struct {
	*ActionServer
	ends    chan error // the outcome of the active goal
	results chan msg.GoalStatus
}

func newRawServer(t *testing.T) *rawServer {
	uri := newMaster(t).URI()
	n := actionNode(t, uri, "/server")
	r := &rawServer{ends: make(chan error), results: make(chan msg.GoalStatus, 5000)}
	def := must.Get(n.types.Action(testAction))(t)
	clock := msg.Time{Sec: 100}
	r.ActionServer = must.Get(ServeActionRaw(n, "/test", def, func() msg.Time { return clock },
		func(b []byte) (Execution, error) {
			if b[0] == 1 {
				return nil, errors.New("1 is not wanted")
			}
			return func(ctx context.Context, _ func([]byte)) ([]byte, error) {
				select {
				case err := <-r.ends:
					return nil, err
				case <-ctx.Done():
					return nil, fmt.Errorf("stopped: %w", ctx.Err())
				}
			}, nil
		}))(t)
	client := actionNode(t, uri, "/client")
	sub := must.Get(SubscribeAs(client, "/test/result", def.ActionResult, func(b []byte) error {
		s, _, err := cutAction(b)
		r.results <- s
		return err
	}))(t)
	must.Until(t, "the connection", func() bool { return sub.NumPublishers() == 1 })
	return r
}

// goal hands a goal to the server.
func (r *rawServer) goal(t *testing.T, id string, sec uint32, body byte) {
	t.Helper()
	b := appendGoalID(appendActionHeader(nil, msg.Time{}), &msg.GoalID{Stamp: msg.Time{Sec: sec}, ID: id})
	must.Do(t, r.receive(append(b, body, 0, 0, 0)))
}

// want checks the results that the server has published since the last call.
func (r *rawServer) want(t *testing.T, want ...string) {
	t.Helper()
	for _, w := range want {
		s := recv(t, r.results)
		must.Equal(t, fmt.Sprintf("%s %d %s", s.GoalID.ID, s.Status, s.Text), w, "result")
	}
	must.Equal(t, len(r.results), 0, "further results")
}

// The server treats goals that come late, twice, or after their cancellation as actionlib does.
func TestOrderOfGoals(t *testing.T) {
	r := newRawServer(t)
	r.goal(t, "a", 50, 0)
	r.goal(t, "a", 50, 0) // again
	r.goal(t, "b", 40, 0) // sent before a
	r.want(t, "b 8 "+errNewer.Error())
	r.goal(t, "c", 50, 1)
	r.want(t, "c 5 1 is not wanted")
	r.ends <- errors.New("failed")
	r.want(t, "a 4 failed")

	r.cancelGoals(&msg.GoalID{ID: "d"}) // before d has come
	r.goal(t, "d", 50, 0)
	r.want(t, "d 8 ")
	r.cancelGoals(&msg.GoalID{Stamp: msg.Time{Sec: 60}})
	r.goal(t, "e", 60, 0)
	r.want(t, "e 8 its stamp is before the last request to cancel goals")
	r.goal(t, "f", 61, 0)
	r.cancelGoals(&msg.GoalID{ID: "none", Stamp: msg.Time{Sec: 61}}) // all up to that time
	r.want(t, "f 2 "+errCancelled.Error())

	r.goal(t, "", 0, 0)
	r.ends <- nil
	s := recv(t, r.results)
	if s.Status != msg.GoalSucceeded || s.GoalID.Stamp.Sec != 100 || s.GoalID.ID != "/server-1-100.000000000" {
		t.Errorf("goal without id and stamp: %+v", s)
	}
}

// Clients cannot fill the server's memory with goals and cancellations.
func TestManyGoals(t *testing.T) {
	r := newRawServer(t)
	for i := range 2000 {
		r.goal(t, fmt.Sprint("goal ", i), 50, byte(i%2))
		r.cancelGoals(&msg.GoalID{ID: fmt.Sprint("no goal ", i)})
	}
	r.mu.Lock()
	if n := len(r.goals); n > maxGoals+2 {
		t.Errorf("%d goals are kept, want at most %d", n, maxGoals+2)
	}
	r.mu.Unlock()
	long := &msg.GoalID{ID: string(make([]byte, maxGoalID+1))}
	must.Fail(t, r.receive(append(appendGoalID(appendActionHeader(nil, msg.Time{}), long), 0, 0, 0, 0)), "at most 1024",
		"a long id")
	r.cancelGoals(long)
	must.Refuse(ServeAction(r.node, "/x", "std_msgs/String", WallTime, func(context.Context, *testGoal,
		func(*testFeedback)) (*testResult, error) {
		return nil, nil
	}))(t, "must be package/TypeAction", "a type that is no action")
	_, err := NewActionClient[testGoal, testGoal, testFeedback](r.node, "/x", testAction, WallTime)
	must.Fail(t, err, "no field for result", "a Go type that does not fit")
}

// The messages of actions have the bytes that the codec of the whole message gives them. Short ones are errors.
func TestActionMessages(t *testing.T) {
	lib := must.Get(msg.Load("std"))(t)
	must.Do(t, lib.AddAction("p/A", "---\nint32 result\n---\n"))
	codec := must.Get(msg.Compile[struct {
		Header msg.Header
		Status msg.GoalStatus
		Result testResult
	}](must.Get(lib.Message("p/AActionResult"))(t)))(t)
	want := msg.GoalStatus{GoalID: msg.GoalID{Stamp: msg.Time{Sec: 1, Nsec: 2}, ID: "goal"}, Status: 3, Text: "text"}
	b := appendAction(nil, msg.Time{Sec: 4, Nsec: 5}, &want, []byte{6, 0, 0, 0})
	m := codec
	whole := struct {
		Header msg.Header
		Status msg.GoalStatus
		Result testResult
	}{msg.Header{Stamp: msg.Time{Sec: 4, Nsec: 5}}, want, testResult{6}}
	must.Equal(t, b, m.Append(nil, &whole), "message")
	status, body, err := cutAction(b)
	must.Do(t, err)
	must.Equal(t, status, want, "status")
	must.Equal(t, body, []byte{6, 0, 0, 0}, "result")
	for i := range len(b) - len(body) {
		if _, _, err := cutAction(b[:i]); err == nil {
			t.Errorf("%d of %d bytes were accepted", i, len(b))
		}
	}
}
