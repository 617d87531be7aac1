"""What transfer is compared with: no adaptation at all."""
