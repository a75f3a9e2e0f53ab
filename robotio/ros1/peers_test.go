package ros1

import (
	"context"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// echoBallHandle is a service that returns the request.
func echoBallHandle(_ context.Context, r *msg.BallHandleRequest) (*msg.BallHandleResponse, error) {
	return &msg.BallHandleResponse{BallIsHolding: r.Enable}, nil
}
