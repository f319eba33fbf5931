# Loaded into programs that draw with RRDs: their clock stands still, and of every graph that they
# ask for, what graphv tells of it is written to a file. So runs of two libraries can be compared.
#
# WATCHED_NOW: seconds since 1970.  WATCHED_LOG: the file that is written.
package Watched;
use strict;
use warnings;
use RRDs;

my $now = $ENV{WATCHED_NOW};
BEGIN { *CORE::GLOBAL::time = sub () { $ENV{WATCHED_NOW} } }

my ($draw, $fetch) = (\&RRDs::graph, \&RRDs::fetch);
{
    no warnings qw(redefine prototype);
    *RRDs::graph = sub (@) {
        my ($picture, @words) = @_;
        @words = pinned(@words);
        note($picture, RRDs::graphv('-', grep { $_ ne '--lazy' } @words));
        return $draw->($picture, @words);
    };
    *RRDs::fetch = sub (@) { return $fetch->(pinned(@_)) };
}

# The library reads the real clock: times that count from now count from WATCHED_NOW.
sub pinned {
    my @words = @_;
    my %has;
    for my $nth (1 .. $#words) {
        next unless $words[$nth - 1] =~ /^--(start|end)$/;
        $has{$1} = 1;
        # What is more than a number, as "-400d", is left to AT-style.
        $words[$nth] =~ s/^(-\d+)$/$now + $1/e or $words[$nth] =~ s/^-/end-/;
    }
    push @words, '--end', $now if $has{start} and not $has{end};
    return @words;
}

sub note {
    my ($picture, $facts) = @_;
    open my $log, '>>', $ENV{WATCHED_LOG} or die "$ENV{WATCHED_LOG}: $!";
    print $log "$picture ", RRDs::error() // '', "\n";
    for my $key (sort keys %{$facts // {}}) {
        # The bytes of a picture, and where each pixel of a curve lies, are a matter of drawing.
        print $log "  $key: $facts->{$key}\n" unless $key =~ /^(image|coords.*)$/;
    }
    close $log;
}

1;
